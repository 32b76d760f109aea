import meeting

meeting.by_messages("two")
