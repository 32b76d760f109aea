"""List the system calls refused to a student's process, with numbers for two architectures.

    REFUSED      in every tier: no student code needs them
    UNLOCKED     in every tier: they succeed and do nothing, because a lock on a file that all
                 submissions read would reveal to one of them what another does
    SHARED       if the child shares users, files and processes with the rest of the machine
    PRETENDED    likewise: they succeed and do nothing, so that copying a file still works
    OWN_PROCESS  likewise: allowed only for the calling process (argument 0 is 0)
    UNSUPPORTED  likewise: they report that the file system lacks them; libraries do without
    KILLING      once the libraries are imported: (call, argument) that may not be SIGKILL

`name: (x86-64, aarch64)`, ANY if the architecture lacks the call.
"""

ANY = -1

REFUSED = {
    # into other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # new namespaces and mounts
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    # ways around the file and network rules
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    # memory that no limit counts
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "vmsplice": (278, 75),
    # keys and large parts of the kernel
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "fanotify_init": (300, 262),
    "quotactl": (179, 60),
    "acct": (163, 89),
    "syslog": (103, 116),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "iopl": (172, ANY),
    "ioperm": (173, ANY),
    # a SIGKILL without a sender
    "timer_create": (222, 107),
}

UNLOCKED = {"flock": (73, 32)}

SHARED = {
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    # events on files that it may not read
    "inotify_init": (253, ANY),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    # an open file in transit through a socket is not counted anywhere
    "sendmsg": (46, 211),
    "sendmmsg": (307, 269),
}

UNSUPPORTED = {"fallocate": (285, 47)}  # allocates gigabytes between two measurements

PRETENDED = {
    "chmod": (90, ANY),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, ANY),
    "fchown": (93, 55),
    "lchown": (94, ANY),
    "fchownat": (260, 54),
    "utime": (132, ANY),
    "utimes": (235, ANY),
    "futimesat": (261, ANY),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
}

OWN_PROCESS = {
    "prlimit64": (302, 261),
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
}

# Calls that are refused depending on their arguments.
SOCKET = (41, 198)
CLONE = (56, 220)
CLONE3 = (435, 435)
IOCTL = (16, 29)
KILL = (62, 129)
TGKILL = (234, 131)
TKILL = (200, 130)
SIGQUEUE = (129, 138)
TGSIGQUEUE = (297, 240)
PIDFD_SIGNAL = (424, 424)
KILLING = ((KILL, 1), (TKILL, 1), (TGKILL, 2), (SIGQUEUE, 1), (TGSIGQUEUE, 2), (PIDFD_SIGNAL, 1))
EXIT = (60, 93)
EXIT_GROUP = (231, 94)
MMAP = (9, 222)
FCNTL = (72, 25)
PRCTL = (157, 167)
SETSOCKOPT = (54, 208)
SETRLIMIT = (160, 164)
PRLIMIT = (302, 261)
