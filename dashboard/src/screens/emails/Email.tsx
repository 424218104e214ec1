/**
 * One email: its history for each recipient, and its content.
 *
 * @module
 */
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../../api/call.ts"
import { useApi } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { toneOf } from "../../lib/emailState.ts"
import { numbered } from "../../lib/numbered.ts"
import { Button } from "../../parts/form/Button.tsx"
import { ConfirmDialog } from "../../parts/overlay/Dialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Card, Page, Section } from "../../parts/page/Page.tsx"
import { Tabs } from "../../parts/page/Tabs.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { Details } from "./Details.tsx"
import styles from "./Emails.module.css"
import { MessageView } from "./MessageView.tsx"
import { Notifications } from "./Notifications.tsx"
import { furtherVisits, type Recipient, timelineOf, type TimelinePoint } from "./timeline.ts"

const route = getRouteApi("/shell/a/$accountId/emails/$emailId")

const Point = ({ point }: { readonly point: TimelinePoint }) => {
  const { emails: texts, mail } = useTexts()
  const format = useFormat()
  const title = (): string => {
    if (point.kind === "Attempt") return texts.attempt(point.host ?? "–")
    if (point.kind === "Visit") {
      const { kind, verdict } = point.visit
      return `${kind === "Open" ? mail.opened : mail.clicked} ${mail.verdicts[verdict] ?? verdict}`
    }
    if (point.kind === "Status") return texts.statuses[point.status] ?? point.status
    return { Submitted: texts.submitted, Opened: texts.opened, Clicked: texts.clicked }[point.kind]
  }
  return (
    <li className={styles[point.tone]}>
      <div>
        <strong>{title()}</strong>
        {point.kind === "Visit" && (
          <p className={styles["soft"]}>
            {mail.rules[point.visit.rule] ?? point.visit.rule}
            {point.visit.network !== null && ` · ${point.visit.network}`}
          </p>
        )}
        {point.kind === "Attempt" && (
          <>
            <p className={styles["soft"]}>
              {[
                mail.outcomes[point.outcome] ?? point.outcome,
                point.tls,
                texts.took(format.number(point.took)),
                point.source === null ? null : mail.leftFrom(point.source)
              ]
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
  const { emails: texts, mail, webhooks } = useTexts()
  const format = useFormat()
  const { email, kind, name, nextAttemptAt, reason, status } = recipient
  const further = furtherVisits(recipient)
  return (
    <Card>
      <div className={styles["recipient"]}>
        <span>
          {name !== null && <bdi>{name}</bdi>} <bdi>{name === null ? email : `<${email}>`}</bdi>
        </span>
        {kind !== "To" && <span className={styles["soft"]}>{kind}</span>}
        <Badge tone={toneOf(status)}>{texts.statuses[status] ?? status}</Badge>
        {reason !== null && (
          <p className={styles["reason"]}>{texts.reasons[reason] ?? mail.reasons[reason] ?? reason}</p>
        )}
        {nextAttemptAt !== null && (
          <p className={styles["reason"]}>
            {webhooks.next} <RelativeTime at={nextAttemptAt} />
          </p>
        )}
      </div>
      <ol className={styles["timeline"]}>
        {numbered(timelineOf(createdAt, recipient)).map(({ item, place }) => (
          <Point key={place} point={item} />
        ))}
      </ol>
      {further > 0 && <p className={styles["soft"]}>{mail.more(format.number(further), further)}</p>}
    </Card>
  )
}

/** An action that asks for confirmation. */
type Asked = "cancel" | "resend" | "refuse"

const parts = ["activity", "message", "webhooks"] as const

/** The routes that are read again after these actions. */
const renews = ["GET /accounts/:accountId/emails/:id", "GET /accounts/:accountId/emails"] as const

/** The screen. */
export const Email = () => {
  const { emails: texts, mail } = useTexts()
  const format = useFormat()
  const { can, id: accountId } = useAccount()
  const { emailId } = route.useParams()
  const { part, tab } = route.useSearch()
  const navigate = route.useNavigate()
  const [open, setOpen] = useState<Asked | null>(null)
  const { isBusy, run } = useAction(renews)
  const input = { params: { accountId, id: emailId } }
  const query = useApi("GET /accounts/:accountId/emails/:id", input)
  const { data } = query
  const countOf = (...statuses: ReadonlyArray<string>) =>
    data?.recipients.filter(({ status }) => statuses.includes(status)).length ?? 0
  const waiting = countOf("Queued", "PendingReview")
  const held = countOf("PendingReview")
  const all = data?.recipients.length ?? 0
  const shownParts = parts.filter(
    (one) => one === "activity" || can(one === "message" ? "emails:content" : "webhooks:read")
  )
  const shown = shownParts.find((one) => one === part) ?? "activity"
  const mayResend = data?.contentErasedAt === null && can("emails:send")
  const release = () =>
    void run(
      () => call("POST /accounts/:accountId/emails/:id/release", input),
      mail.released(format.number(held), held)
    )
  const resend = async () => {
    const made: Array<string> = []
    await run(async () => {
      made.push((await call("POST /accounts/:accountId/emails/:id/resend", input)).id)
    }, mail.resent)
    // The screen of the new email is shown once the dialog is closed.
    setOpen(null)
    for (const id of made) {
      void navigate({ to: "/a/$accountId/emails/$emailId", params: { accountId, emailId: id }, search: {} })
    }
  }
  const stop = async (kind: "cancel" | "refuse") => {
    await run(
      () => call(`POST /accounts/:accountId/emails/:id/${kind}`, input),
      kind === "cancel" ? texts.cancelled : mail.refused
    )
    setOpen(null)
  }
  const asked: Readonly<
    Record<
      Asked,
      Pick<Parameters<typeof ConfirmDialog>[0], "title" | "text" | "action" | "onConfirm" | "tone">
    >
  > = {
    cancel: {
      title: texts.cancelTitle,
      text: texts.cancelText(waiting),
      action: texts.cancel,
      onConfirm: () => void stop("cancel")
    },
    resend: {
      title: mail.resendTitle,
      text: mail.resendText(format.number(all), all),
      action: mail.resend,
      tone: "primary",
      onConfirm: () => void resend()
    },
    refuse: {
      title: mail.refuseTitle,
      text: mail.refuseText(format.number(held), held),
      action: mail.refuse,
      onConfirm: () => void stop("refuse")
    }
  }
  const back = { link: { to: "/a/$accountId/emails" as const, params: { accountId } }, label: texts.title }
  const title = data === undefined ? texts.email : data.subject === "" ? texts.noSubject : data.subject
  return (
    <Page
      title={title}
      back={back}
      badge={data && <Badge tone={toneOf(data.status)}>{texts.statuses[data.status] ?? data.status}</Badge>}
      actions={
        <>
          {held > 0 && can("emails:release") && (
            <>
              <Button tone="primary" isBusy={isBusy && open === null} onClick={release}>
                {mail.release}
              </Button>
              <Button tone="danger" onClick={() => setOpen("refuse")}>
                {mail.refuse}
              </Button>
            </>
          )}
          {mayResend && (
            <Button icon="retry" onClick={() => setOpen("resend")}>
              {mail.resend}
            </Button>
          )}
          {waiting > 0 && can("emails:send") && (
            <Button tone="danger" onClick={() => setOpen("cancel")}>
              {texts.cancel}
            </Button>
          )}
        </>
      }
    >
      <Loaded thing="Email" query={query}>
        {(email) => (
          <>
            <Tabs
              label={texts.email}
              value={shown}
              onChange={(value) => void navigate({ search: { part: value }, replace: true })}
              tabs={shownParts.map((value) => ({ value, label: mail.parts[value] }))}
            />
            {shown === "activity" && (
              <div className={styles["columns"]}>
                <div className={styles["main"]}>
                  <Section title={texts.recipients}>
                    {email.recipients.map((recipient) => (
                      <RecipientCard key={recipient.id} createdAt={email.createdAt} recipient={recipient} />
                    ))}
                  </Section>
                </div>
                <Details email={email} />
              </div>
            )}
            {shown === "message" && (
              <MessageView
                accountId={accountId}
                emailId={emailId}
                tab={tab}
                onTab={(next) => void navigate({ search: { part: "message", tab: next }, replace: true })}
              />
            )}
            {shown === "webhooks" && <Notifications accountId={accountId} recipients={email.recipients} />}
          </>
        )}
      </Loaded>
      {open !== null && (
        <ConfirmDialog isOpen isBusy={isBusy} onClose={() => setOpen(null)} {...asked[open]} />
      )}
    </Page>
  )
}
