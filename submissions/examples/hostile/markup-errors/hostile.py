Kind = type("<b>Passed</b>\x1b[32m", (Exception,), {})
raise Kind('=cmd|" /C calc"!A1 <script>alert(1)</script> \x1b]0;x\x07 ${7*7} {{7*7}} \u202e ```')
