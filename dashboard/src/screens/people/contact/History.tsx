/**
 * What happened to a person: contact events, and emails to the address.
 *
 * @module
 */
import { Entries } from "../../../parts/list/Entries.tsx"
import { Link } from "@tanstack/react-router"
import { useList } from "../../../api/queries.ts"
import { useTexts } from "../../../app/reader.tsx"
import { Entry } from "../../../parts/page/Columns.tsx"
import { Section } from "../../../parts/page/Page.tsx"
import { Badge, type Tone } from "../../../parts/show/Badge.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"

/** How many properties of an event are shown. */
const maxProperties = 4

const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** What is worth reading of an event: neither what is nested, nor ids of the service. */
const summaryOf = (properties: Readonly<Record<string, unknown>>): string | null => {
  const parts = Object.entries(properties)
    .filter(([, value]) => typeof value !== "object" && !(typeof value === "string" && isId.test(value)))
    .slice(0, maxProperties)
    .map(([key, value]) => `${key}: ${String(value)}`)
  return parts.length === 0 ? null : parts.join(" · ")
}

/** The timeline. */
export const Timeline = ({
  accountId,
  contactId
}: {
  readonly accountId: string
  readonly contactId: string
}) => {
  const { people: texts } = useTexts()
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
            text={summaryOf(properties)}
            end={<RelativeTime at={occurredAt} />}
          >
            <span dir="auto">{name}</span>
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
