/**
 * What happened to a person: contact events, and emails to the address.
 *
 * @module
 */
import { Link } from "@tanstack/react-router"
import { useList } from "../../../api/queries.ts"
import { useTexts } from "../../../app/reader.tsx"
import { Button } from "../../../parts/form/Button.tsx"
import { ErrorBanner } from "../../../parts/page/Banner.tsx"
import { Entry, Nothing, Rows } from "../../../parts/page/Columns.tsx"
import { Card, LoadingLines, Section } from "../../../parts/page/Page.tsx"
import { Badge, type Tone } from "../../../parts/show/Badge.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"

/** How many properties of an event are shown. */
const maxProperties = 4

const summaryOf = (properties: Readonly<Record<string, unknown>>): string | null => {
  const parts = Object.entries(properties)
    .filter(([, value]) => typeof value !== "object" || value === null)
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
  const { error, hasMore, isLoading, items, loadMore, reload } = useList(
    "GET /accounts/:accountId/contacts/:id/timeline",
    { params: { accountId, id: contactId }, query: { limit: 20 } }
  )
  return (
    <Section title={texts.timeline}>
      {error !== null && <ErrorBanner error={error} onRetry={reload} />}
      {isLoading ? (
        <LoadingLines />
      ) : (
        <Card isFlush>
          {items.length === 0 && <Nothing>{texts.noTimeline}</Nothing>}
          <Rows>
            {items.map(({ name, occurredAt, properties, source }) => (
              <Entry
                key={`${name} ${occurredAt} ${JSON.stringify(properties)}`}
                text={summaryOf(properties)}
                end={<RelativeTime at={occurredAt} />}
              >
                <span dir="auto">{name}</span>
                <Badge>{texts.sources[source] ?? source}</Badge>
              </Entry>
            ))}
          </Rows>
        </Card>
      )}
      {hasMore && (
        <div>
          <Button isSmall onClick={loadMore}>
            {texts.moreEvents}
          </Button>
        </div>
      )}
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
  const { error, isLoading, items, reload } = useList("GET /accounts/:accountId/emails", {
    params: { accountId },
    query: { limit: 10, to: [email] }
  })
  return (
    <Section title={texts.emails}>
      {error !== null && <ErrorBanner error={error} onRetry={reload} />}
      {isLoading ? (
        <LoadingLines count={2} />
      ) : (
        <Card isFlush>
          {items.length === 0 && <Nothing>{texts.noEmails}</Nothing>}
          <Rows>
            {items.map(({ createdAt, id, status, subject }) => (
              <Entry key={id} end={<RelativeTime at={createdAt} />}>
                <Link to="/a/$accountId/emails/$emailId" params={{ accountId, emailId: id }} dir="auto">
                  {subject === "" ? texts.noSubject : subject}
                </Link>
                <Badge tone={statusTones[status] ?? "neutral"}>{emailTexts.statuses[status] ?? status}</Badge>
              </Entry>
            ))}
          </Rows>
        </Card>
      )}
    </Section>
  )
}
