def answer(function, args, kwargs):
    text = '=1+1<script>alert(1)</script>\x1b[2J\u202e{{7*7}}</td></table>'
    return {text: text}
