/**
 * One email: what happened to it for each recipient, and what it is.
 *
 * @module
 */
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { useApi, useChange } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { toneOf } from "../../lib/emailState.ts"
import { Button } from "../../parts/form/Button.tsx"
import { ConfirmDialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { Card, Facts, LoadingLines, Page, Section } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { CopyButton } from "../../parts/show/CopyButton.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import styles from "./Emails.module.css"
import { type EmailDetail, type Recipient, timelineOf, type TimelinePoint } from "./timeline.ts"

const route = getRouteApi("/shell/a/$accountId/emails/$emailId")

const Point = ({ point }: { readonly point: TimelinePoint }) => {
  const { emails: texts } = useTexts()
  const format = useFormat()
  const title = (): string => {
    if (point.kind === "Attempt") return texts.attempt(point.host ?? "–")
    if (point.kind === "Status") return texts.statuses[point.status] ?? point.status
    return { Submitted: texts.submitted, Opened: texts.opened, Clicked: texts.clicked }[point.kind]
  }
  return (
    <li className={styles[point.tone]}>
      <div>
        <strong>{title()}</strong>
        {point.kind === "Attempt" && (
          <>
            <p className={styles["soft"]}>
              {[point.outcome, point.tls, texts.took(format.number(point.took))]
                .filter((part) => part !== null)
                .join(" · ")}
            </p>
            {point.replies.map((reply) => (
              <p key={reply} className={styles["reply"]}>
                {reply}
              </p>
            ))}
            {point.error !== null && <p className={styles["reply"]}>{point.error}</p>}
          </>
        )}
      </div>
      <RelativeTime at={point.at} form="moment" />
    </li>
  )
}

const RecipientCard = ({
  createdAt,
  recipient
}: {
  readonly createdAt: string
  readonly recipient: Recipient
}) => {
  const { emails: texts } = useTexts()
  const { email, kind, name, reason, status } = recipient
  return (
    <Card>
      <div className={styles["recipient"]}>
        <bdi>{name === null ? email : `${name} <${email}>`}</bdi>
        {kind !== "To" && <span className={styles["soft"]}>{kind}</span>}
        <Badge tone={toneOf(status)}>{texts.statuses[status] ?? status}</Badge>
        {reason !== null && <p className={styles["reason"]}>{texts.reasons[reason] ?? reason}</p>}
      </div>
      <ol className={styles["timeline"]}>
        {timelineOf(createdAt, recipient).map((point) => (
          <Point key={`${point.kind} ${point.at}`} point={point} />
        ))}
      </ol>
    </Card>
  )
}

const Named = ({ values }: { readonly values: Readonly<Record<string, string>> }) => {
  const entries = Object.entries(values)
  return entries.length === 0 ? (
    "–"
  ) : (
    <span className={styles["tags"]}>
      {entries.map(([name, value]) => (
        <Badge key={name}>{`${name}: ${value}`}</Badge>
      ))}
    </span>
  )
}

/** The facts of an email. */
const Details = ({ email }: { readonly email: EmailDetail }) => {
  const { emails: texts } = useTexts()
  const { createdAt, from, id, metadata, sendAt, tags, templateId } = email
  return (
    <Section title={texts.details}>
      <Facts
        facts={[
          [texts.submitted, <RelativeTime key="at" at={createdAt} form="moment" />],
          sendAt === null ? null : [texts.scheduled, <RelativeTime key="at" at={sendAt} form="moment" />],
          [
            texts.from,
            from === null ? "–" : from.name === null ? from.email : `${from.name} <${from.email}>`
          ],
          templateId === null ? null : [texts.template, <code key="template">{templateId}</code>],
          [texts.tags, <Named key="tags" values={tags} />],
          [texts.metadata, <Named key="metadata" values={metadata} />],
          [
            texts.id,
            <span key="id" className={styles["copied"]}>
              <code>{id}</code>
              <CopyButton value={id} />
            </span>
          ]
        ]}
      />
    </Section>
  )
}

/** The screen. */
export const Email = () => {
  const { emails: texts } = useTexts()
  const { can, id: accountId } = useAccount()
  const { emailId } = route.useParams()
  const [isAsking, setAsking] = useState(false)
  const { data, error, refetch } = useApi("GET /accounts/:accountId/emails/:id", {
    params: { accountId, id: emailId }
  })
  const cancel = useChange("POST /accounts/:accountId/emails/:id/cancel", {
    renews: ["GET /accounts/:accountId/emails/:id", "GET /accounts/:accountId/emails"]
  })
  const waiting =
    data?.recipients.filter(({ status }) => status === "Queued" || status === "PendingReview").length ?? 0
  const back = { link: { to: "/a/$accountId/emails" as const, params: { accountId } }, label: texts.title }
  const title = data === undefined ? texts.email : data.subject === "" ? texts.noSubject : data.subject
  return (
    <Page
      title={title}
      back={back}
      badge={data && <Badge tone={toneOf(data.status)}>{texts.statuses[data.status] ?? data.status}</Badge>}
      actions={
        waiting > 0 &&
        can("emails:send") && (
          <Button tone="danger" onClick={() => setAsking(true)}>
            {texts.cancel}
          </Button>
        )
      }
    >
      {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null && <LoadingLines />
      ) : (
        <div className={styles["columns"]}>
          <div className={styles["main"]}>
            <Section title={texts.recipients}>
              {data.recipients.map((recipient) => (
                <RecipientCard key={recipient.id} createdAt={data.createdAt} recipient={recipient} />
              ))}
            </Section>
          </div>
          <Details email={data} />
        </div>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        isBusy={cancel.isPending}
        title={texts.cancelTitle}
        text={cancel.error?.message ?? texts.cancelText(waiting)}
        action={texts.cancel}
        onConfirm={() =>
          cancel.mutate(
            { params: { accountId, id: emailId } },
            {
              onSuccess: () => {
                setAsking(false)
                toast(texts.cancelled)
              }
            }
          )
        }
      />
    </Page>
  )
}
