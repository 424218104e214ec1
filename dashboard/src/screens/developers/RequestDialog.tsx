/**
 * One call of the request log.
 *
 * @module
 */
import type { ItemOf } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { readableJson } from "../../lib/json.ts"
import { toneOfStatus } from "../../lib/statusTone.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { Facts } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { Code } from "../../parts/show/Code.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import styles from "./Requests.module.css"

/** The dialog. */
export const RequestDialog = ({
  keyName,
  onClose,
  request
}: {
  readonly request: ItemOf<"GET /accounts/:accountId/requests">
  readonly keyName: string | null
  readonly onClose: () => void
}) => {
  const { common, requests: texts } = useTexts()
  const format = useFormat()
  const { mode } = useAccount()
  const { at, code, durationMillis, keyId, method, requestBody, requestId, responseBody, status, warnings } =
    request
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title={`${method} ${request.route ?? texts.unknownRoute}`}
      actions={<Button onClick={onClose}>{common.close}</Button>}
    >
      <Facts
        facts={[
          [
            texts.status,
            <Badge key="status" tone={toneOfStatus(status)}>
              {String(status)}
            </Badge>
          ],
          code === null ? null : [texts.code, <code key="code">{code}</code>],
          [texts.time, <RelativeTime key="at" at={at} form="moment" />],
          [texts.duration, `${format.number(Math.round(durationMillis))} ms`],
          [texts.key, keyName ?? <code key="key">{keyId}</code>],
          [texts.id, <code key="id">{requestId}</code>],
          warnings.length === 0 ? null : [texts.warnings, warnings.join(", ")]
        ]}
      />
      {mode === "live" ? (
        <p className={styles["soft"]}>{texts.noBodies}</p>
      ) : (
        <div className={styles["bodies"]}>
          {(
            [
              [texts.request, requestBody],
              [texts.response, responseBody]
            ] as const
          ).map(([name, body]) => (
            <div key={name}>
              <h3>{name}</h3>
              <Code label={name}>{body === null || body === "" ? texts.noBody : readableJson(body)}</Code>
            </div>
          ))}
        </div>
      )}
    </Dialog>
  )
}
