import meeting

meeting.by_messages("one")
