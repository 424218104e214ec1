/**
 * A notification to a webhook: its content, and the response to each attempt.
 *
 * @module
 */
import { call } from "../../api/call.ts"
import { useApi } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { failureText } from "../../lib/failures.ts"
import { readableJson } from "../../lib/json.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Facts } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { Code } from "../../parts/show/Code.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useLiveTexts } from "../../texts/live/useLiveTexts.ts"
import styles from "./Requests.module.css"
import { deliveryTones } from "./tones.ts"

const readRoute = "GET /accounts/:accountId/notifications/:id"

/** How often it is refreshed, in milliseconds. */
const pollMillis = 5_000

/** The dialog. */
export const NotificationDialog = ({
  id,
  isStopped,
  onClose
}: {
  readonly id: string
  /** Whether the webhook no longer receives notifications. */
  readonly isStopped: boolean
  readonly onClose: () => void
}) => {
  const { common, webhooks } = useTexts()
  const { notification: texts } = useLiveTexts()
  const format = useFormat()
  const { can, id: accountId } = useAccount()
  const query = useApi(readRoute, { params: { accountId, id } }, { refetchInterval: pollMillis })
  const { isBusy, run } = useAction([readRoute, "GET /accounts/:accountId/webhooks/:id/deliveries"])
  const webhookId = query.data?.webhookId
  const type = query.data?.type
  const resend = (webhook: string) =>
    void run(
      () =>
        call("POST /accounts/:accountId/webhooks/:id/resend", {
          params: { accountId, id: webhook },
          body: { notificationIds: [id] }
        }),
      texts.resent
    )
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title={type === undefined ? texts.title : (webhooks.eventTexts[type] ?? type)}
      actions={
        <>
          {webhookId !== undefined && can("webhooks:write") && !isStopped && (
            <Button icon="retry" isBusy={isBusy} onClick={() => resend(webhookId)}>
              {texts.resend}
            </Button>
          )}
          <Button onClick={onClose}>{common.close}</Button>
        </>
      }
    >
      <Loaded thing="Notification" query={query}>
        {({ body, createdAt, log, nextAttemptAt, state, url }) => (
          <>
            <Facts
              facts={[
                [
                  texts.state,
                  <Badge key="state" tone={deliveryTones[state] ?? "neutral"}>
                    {webhooks.deliveryStates[state]}
                  </Badge>
                ],
                [texts.created, <RelativeTime key="at" at={createdAt} form="moment" />],
                nextAttemptAt === null
                  ? null
                  : [webhooks.next, <RelativeTime key="next" at={nextAttemptAt} />],
                [texts.url, url ?? texts.gone],
                type === undefined ? null : [webhooks.events, <code key="type">{type}</code>],
                [texts.id, <code key="id">{id}</code>]
              ]}
            />
            <div className={styles["bodies"]}>
              <div>
                <h3>{texts.request}</h3>
                <Code label={texts.request}>{readableJson(body)}</Code>
              </div>
              <div>
                <h3>{texts.attempts}</h3>
                {log.length === 0 && <p className={styles["soft"]}>{texts.none}</p>}
                <ol className={styles["attempts"]}>
                  {log.toReversed().map(({ at, attempt, durationMs, error, httpStatus, response }) => (
                    <li key={attempt}>
                      <p className={styles["attempt"]}>
                        <span>
                          {[
                            `${webhooks.attempt} ${format.number(attempt)}`,
                            ...(httpStatus === null ? [] : [`HTTP ${httpStatus}`]),
                            ...(error === null ? [] : [failureText(error, texts)]),
                            webhooks.millis(format.number(durationMs))
                          ].join(" · ")}
                        </span>
                        <RelativeTime at={at} form="moment" />
                      </p>
                      {response !== null && response !== "" && (
                        <Code label={`${texts.response} ${attempt}`}>{response}</Code>
                      )}
                    </li>
                  ))}
                </ol>
              </div>
            </div>
          </>
        )}
      </Loaded>
    </Dialog>
  )
}
