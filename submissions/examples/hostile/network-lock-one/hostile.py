import meeting

meeting.at_a_lock()
