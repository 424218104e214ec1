/**
 * One webhook: its state, and the attempts to deliver its notifications.
 *
 * @module
 */
import { lazyPart } from "../../app/newVersion.ts"
import { Entries } from "../../parts/list/Entries.tsx"
import { getRouteApi, useNavigate } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import { call } from "../../api/call.ts"
import { type ItemOf, useApi, useExtra, useList } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { ConfirmDialog } from "../../parts/overlay/Dialog.tsx"
import { SecretDialog } from "../../parts/overlay/SecretDialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { Banner } from "../../parts/page/Banner.tsx"
import { Columns, Entry } from "../../parts/page/Columns.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Missing } from "../../parts/page/Missing.tsx"
import { Card, Facts, Page, Section } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { failureText, stoppedText } from "../../lib/failures.ts"
import { useLiveTexts } from "../../texts/live/useLiveTexts.ts"
import { deliveryTones } from "./tones.ts"
import { WebhookRate } from "./WebhookRate.tsx"

const NotificationDialog = lazyPart(() => import("./NotificationDialog.tsx"), "NotificationDialog")

const ResendFailed = lazyPart(() => import("./ResendFailed.tsx"), "ResendFailed")

const route = getRouteApi("/shell/a/$accountId/developers/webhooks/$webhookId")

const listRoute = "GET /accounts/:accountId/webhooks"
type Hook = ItemOf<typeof listRoute>

const deliveriesRoute = "GET /accounts/:accountId/webhooks/:id/deliveries"

/** How often the attempts are refreshed, in milliseconds. */
const pollMillis = 5_000

const Deliveries = ({
  accountId,
  isStopped,
  webhookId
}: {
  readonly accountId: string
  readonly webhookId: string
  readonly isStopped: boolean
}) => {
  const { webhooks: texts } = useTexts()
  const { notification } = useLiveTexts()
  const { can } = useAccount()
  const { shown } = route.useSearch()
  const navigate = route.useNavigate()
  const [isResending, setResending] = useState(false)
  const show = (id: string | undefined) => void navigate({ search: id === undefined ? {} : { shown: id } })
  const format = useFormat()
  const list = useList(
    deliveriesRoute,
    { params: { accountId, id: webhookId } },
    { refetchInterval: pollMillis }
  )
  return (
    <Section
      title={texts.deliveries}
      actions={
        can("webhooks:write") &&
        !isStopped &&
        list.items.length > 0 && (
          <Button isSmall onClick={() => setResending(true)}>
            {notification.resendFailed}
          </Button>
        )
      }
    >
      <Entries
        list={list}
        empty={
          <>
            {texts.noDeliveries}. {texts.noDeliveriesText}
          </>
        }
      >
        {({
          at,
          attempt,
          durationMs,
          error: failure,
          httpStatus,
          nextAttemptAt,
          notificationId,
          state,
          type
        }) => (
          <Entry
            key={`${notificationId} ${attempt}`}
            end={
              <>
                <RelativeTime at={at} />
                <Button
                  isSmall
                  tone="quiet"
                  aria-label={`${notification.open}: ${type}, ${texts.attempt} ${format.number(attempt)}`}
                  onClick={() => show(notificationId)}
                >
                  {notification.open}
                </Button>
              </>
            }
            text={
              <>
                {[
                  `${texts.attempt} ${format.number(attempt)}`,
                  ...(httpStatus === null ? [] : [`HTTP ${httpStatus}`]),
                  ...(durationMs === null ? [] : [texts.millis(format.number(durationMs))]),
                  ...(failure === null ? [] : [failureText(failure, notification)])
                ].join(" · ")}
                {nextAttemptAt !== null && (
                  <>
                    {" "}
                    · {texts.next} <RelativeTime at={nextAttemptAt} />
                  </>
                )}
              </>
            }
          >
            <span title={type}>{texts.eventTexts[type] ?? type}</span>
            <Badge tone={deliveryTones[state] ?? "neutral"}>{texts.deliveryStates[state]}</Badge>
          </Entry>
        )}
      </Entries>
      <Suspense fallback={null}>
        {shown !== undefined && (
          <NotificationDialog id={shown} isStopped={isStopped} onClose={() => show(undefined)} />
        )}
        {isResending && <ResendFailed webhookId={webhookId} onClose={() => setResending(false)} />}
      </Suspense>
    </Section>
  )
}

/** The screen. */
export const Webhook = () => {
  const { developers, webhookRate, webhooks: texts } = useTexts()
  const { notification, replaced } = useLiveTexts()
  const format = useFormat()
  const { accountId, webhookId } = route.useParams()
  const navigate = useNavigate()
  const { can } = useAccount()
  const [open, setOpen] = useState<"rotate" | "remove" | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const params = { accountId, id: webhookId }
  const query = useApi(listRoute, { params: { accountId }, query: { limit: 200 } })
  const { isBusy, run } = useAction([listRoute, deliveriesRoute])
  const pending = useExtra(
    "GET /accounts/:accountId/notifications",
    {
      params: { accountId },
      query: { webhookId: [webhookId], state: ["Pending"], limit: 1, count: "exact" }
    },
    { enabled: open === "remove" }
  )?.totalCount
  const hook = query.data?.items.find(({ id }) => id === webhookId)
  const test = () =>
    void run(() => call("POST /accounts/:accountId/webhooks/:id/test", { params }), texts.tested)
  const rotate = async () => {
    await run(async () => {
      setSecret((await call("POST /accounts/:accountId/webhooks/:id/rotate-secret", { params })).secret)
    })
    setOpen(null)
  }
  /** Adds a copy of the webhook and removes the original, because a stopped webhook cannot be started again. */
  const replace = async ({ description, events, fields, url }: Hook) => {
    await run(async () => {
      const added = await call("POST /accounts/:accountId/webhooks", {
        params: { accountId },
        body: { url, events, fields, description }
      })
      setSecret(added.secret)
      await call("DELETE /accounts/:accountId/webhooks/:id", { params })
      await navigate({
        to: "/a/$accountId/developers/webhooks/$webhookId",
        params: { accountId, webhookId: added.id },
        replace: true
      })
    }, replaced.done)
  }
  const remove = async () => {
    if (await run(() => call("DELETE /accounts/:accountId/webhooks/:id", { params }), texts.removed))
      void navigate({ to: "/a/$accountId/developers/webhooks", params: { accountId } })
    setOpen(null)
  }
  return (
    <Page
      title={hook?.description ?? (hook === undefined ? developers.tabs.webhooks : new URL(hook.url).host)}
      back={{
        link: { to: "/a/$accountId/developers/webhooks", params: { accountId } },
        label: developers.tabs.webhooks
      }}
      badge={
        hook !== undefined && (
          <Badge tone={hook.status === "Active" ? "good" : "bad"}>{texts.states[hook.status]}</Badge>
        )
      }
      actions={
        hook !== undefined &&
        can("webhooks:write") && (
          <>
            {hook.status === "Stopped" ? (
              <Button
                tone="primary"
                isBusy={isBusy && open === null}
                title={replaced.hint}
                onClick={() => void replace(hook)}
              >
                {replaced.action}
              </Button>
            ) : (
              <Button onClick={test} isBusy={isBusy && open === null}>
                {texts.test}
              </Button>
            )}
            <Button onClick={() => setOpen("rotate")}>{texts.rotate}</Button>
            <Button tone="danger" onClick={() => setOpen("remove")}>
              {texts.remove}
            </Button>
          </>
        )
      }
    >
      <Loaded query={query}>
        {() =>
          hook === undefined ? (
            <Missing thing="Webhook" />
          ) : (
            <>
              {hook.stoppedReason !== null && (
                <Banner tone="bad">{texts.stopped(stoppedText(hook.stoppedReason, notification))}</Banner>
              )}
              <Columns
                aside={
                  <Section title={texts.details}>
                    <Card>
                      <Facts
                        facts={[
                          [texts.url, hook.url],
                          [
                            texts.events,
                            hook.events.length === 0
                              ? texts.allEvents
                              : hook.events.map((one) => texts.eventTexts[one] ?? one).join(", ")
                          ],
                          [
                            webhookRate.title,
                            <WebhookRate key="rate" accountId={accountId} webhookId={webhookId} />
                          ],
                          [texts.failures, format.number(hook.failuresInARow)],
                          hook.fields.length === 0 ? null : [texts.visitor, texts.yes]
                        ]}
                      />
                    </Card>
                  </Section>
                }
              >
                <Deliveries
                  accountId={accountId}
                  webhookId={webhookId}
                  isStopped={hook.status === "Stopped"}
                />
              </Columns>
            </>
          )
        }
      </Loaded>
      {open === "rotate" && (
        <ConfirmDialog
          isOpen
          title={texts.rotateTitle}
          text={texts.rotateText}
          action={texts.rotate}
          isBusy={isBusy}
          onClose={() => setOpen(null)}
          onConfirm={() => void rotate()}
        />
      )}
      {open === "remove" && hook !== undefined && (
        <ConfirmDialog
          isOpen
          title={texts.removeTitle}
          text={pending === undefined ? null : texts.removeText(hook.url, format.number(pending), pending)}
          action={texts.remove}
          isBusy={isBusy}
          onClose={() => setOpen(null)}
          onConfirm={() => void remove()}
        />
      )}
      {secret !== null && (
        <SecretDialog
          title={texts.secret}
          label={texts.secret}
          secret={secret}
          note={texts.once}
          onClose={() => setSecret(null)}
        />
      )}
    </Page>
  )
}
