import signal

import aim

for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    aim.attempt(signal.signal, number, signal.SIG_IGN)
while True:
    pass
