/**
 * The notifications of webhooks that an email caused, for each recipient.
 *
 * @module
 */
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useList } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Select } from "../../parts/form/Field.tsx"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { Entry, Nothing, Rows } from "../../parts/page/Columns.tsx"
import { Card, LoadingLines } from "../../parts/page/Page.tsx"
import { Badge, type Tone } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import type { Recipient } from "./timeline.ts"

const tones: Readonly<Record<string, Tone>> = { Succeeded: "good", Failed: "bad", Pending: "accent" }

/** The list. */
export const Notifications = ({
  accountId,
  recipients
}: {
  readonly accountId: string
  readonly recipients: ReadonlyArray<Recipient>
}) => {
  const { mail, people, webhooks } = useTexts()
  const texts = mail.notifications
  const format = useFormat()
  const [recipientId, setRecipient] = useState(recipients[0]?.id ?? "")
  const { error, hasMore, isLoading, items, loadMore, reload } = useList(
    "GET /accounts/:accountId/notifications",
    { params: { accountId }, query: { q: recipientId } }
  )
  return (
    <>
      {recipients.length > 1 && (
        <Field label={texts.recipient}>
          <Select
            value={recipientId}
            onChange={(event) => setRecipient(event.target.value)}
            options={recipients.map(({ email, id }) => ({ value: id, label: email }))}
          />
        </Field>
      )}
      {error !== null && <ErrorBanner error={error} onRetry={reload} />}
      {isLoading ? (
        <LoadingLines />
      ) : (
        <Card isFlush>
          {items.length === 0 && <Nothing>{texts.none}</Nothing>}
          <Rows>
            {items.map(({ attempts, createdAt, id, nextAttemptAt, state, type, webhookId }) => (
              <Entry
                key={id}
                end={<RelativeTime at={createdAt} />}
                text={
                  <>
                    <Link to="/a/$accountId/developers/webhooks/$webhookId" params={{ accountId, webhookId }}>
                      {webhooks.url}
                    </Link>{" "}
                    · {texts.attempts(format.number(attempts), attempts)}
                    {nextAttemptAt !== null && (
                      <>
                        {" "}
                        · {texts.next} <RelativeTime at={nextAttemptAt} />
                      </>
                    )}
                  </>
                }
              >
                <code>{type}</code>
                <Badge tone={tones[state] ?? "neutral"}>{webhooks.deliveryStates[state]}</Badge>
              </Entry>
            ))}
          </Rows>
        </Card>
      )}
      {hasMore && (
        <div>
          <Button isSmall onClick={loadMore}>
            {people.moreEvents}
          </Button>
        </div>
      )}
    </>
  )
}
