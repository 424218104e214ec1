/**
 * The webhook notifications that an email caused, for each recipient.
 *
 * @module
 */
import { Entries } from "../../parts/list/Entries.tsx"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useList } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { Field, Select } from "../../parts/form/Field.tsx"
import { Entry } from "../../parts/page/Columns.tsx"
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
  const { mail, webhooks } = useTexts()
  const texts = mail.notifications
  const format = useFormat()
  const [recipientId, setRecipient] = useState(recipients[0]?.id ?? "")
  const list = useList("GET /accounts/:accountId/notifications", {
    params: { accountId },
    query: { q: recipientId }
  })
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
      <Entries list={list} empty={texts.none}>
        {({ attempts, createdAt, id, nextAttemptAt, state, type, webhookId }) => (
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
            <span title={type}>{webhooks.eventTexts[type] ?? type}</span>
            <Badge tone={tones[state] ?? "neutral"}>{webhooks.deliveryStates[state]}</Badge>
          </Entry>
        )}
      </Entries>
    </>
  )
}
