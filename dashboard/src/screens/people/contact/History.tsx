/**
 * The history of a person: contact events, and emails to the address.
 *
 * @module
 */
import { Entries } from "../../../parts/list/Entries.tsx"
import { Link } from "@tanstack/react-router"
import { useList } from "../../../api/queries.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { eventName, eventSummary } from "../../../lib/timeline.ts"
import { Entry } from "../../../parts/page/Columns.tsx"
import { Section } from "../../../parts/page/Page.tsx"
import { Badge, type Tone } from "../../../parts/show/Badge.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"
import { useRecordTexts } from "../../../texts/records/useRecordTexts.ts"

/** The timeline. */
export const Timeline = ({
  accountId,
  contactId
}: {
  readonly accountId: string
  readonly contactId: string
}) => {
  const { people: texts } = useTexts()
  const { timeline: words } = useRecordTexts()
  const format = useFormat()
  const list = useList("GET /accounts/:accountId/contacts/:id/timeline", {
    params: { accountId, id: contactId },
    query: { limit: 20 }
  })
  return (
    <Section title={texts.timeline}>
      <Entries list={list} empty={texts.noTimeline}>
        {({ name, occurredAt, properties, source }) => (
          <Entry
            key={`${name} ${occurredAt} ${JSON.stringify(properties)}`}
            text={eventSummary({ name, properties, source }, words, format)}
            end={<RelativeTime at={occurredAt} />}
          >
            <span dir="auto" title={name}>
              {eventName({ name, source }, words)}
            </span>
            <Badge>{texts.sources[source] ?? source}</Badge>
          </Entry>
        )}
      </Entries>
    </Section>
  )
}

const statusTones: Readonly<Record<string, Tone>> = {
  Delivered: "good",
  Sent: "good",
  Accepted: "good",
  Bounced: "warning",
  Complained: "bad",
  Failed: "bad"
}

/** The latest emails to an address. */
export const Emails = ({ accountId, email }: { readonly accountId: string; readonly email: string }) => {
  const { emails: emailTexts, people: texts } = useTexts()
  const list = useList("GET /accounts/:accountId/emails", {
    params: { accountId },
    query: { limit: 10, to: [email] }
  })
  return (
    <Section title={texts.emails}>
      <Entries list={list} empty={texts.noEmails}>
        {({ createdAt, id, status, subject }) => (
          <Entry key={id} end={<RelativeTime at={createdAt} />}>
            <Link to="/a/$accountId/emails/$emailId" params={{ accountId, emailId: id }} dir="auto">
              {subject === "" ? texts.noSubject : subject}
            </Link>
            <Badge tone={statusTones[status] ?? "neutral"}>{emailTexts.statuses[status] ?? status}</Badge>
          </Entry>
        )}
      </Entries>
    </Section>
  )
}
