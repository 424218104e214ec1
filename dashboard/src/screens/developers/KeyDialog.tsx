/**
 * One API key: its permissions, and its use within the last day.
 *
 * @module
 */
import type { ValueOf } from "../../api/call.ts"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { Facts } from "../../parts/page/Page.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { KeyUse } from "./KeyUse.tsx"

/** The dialog. */
export const KeyDialog = ({
  accountId,
  apiKey: { display, expiresAt, id, lastUsedAt, name, permissions, revokedAt },
  onClose,
  onRevoke
}: {
  readonly accountId: string
  readonly apiKey: ValueOf<"GET /accounts/:accountId/api-keys">[number]
  readonly onClose: () => void
  /** Null if the user may not revoke it. */
  readonly onRevoke: (() => void) | null
}) => {
  const { common, keys: texts } = useTexts()
  const { can } = useAccount()
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={name}
      actions={
        <>
          {onRevoke !== null && revokedAt === null && (
            <Button tone="danger" onClick={onRevoke}>
              {texts.revoke}
            </Button>
          )}
          <Button onClick={onClose}>{common.close}</Button>
        </>
      }
    >
      <Facts
        facts={[
          [texts.key, <code key="key">{display}</code>],
          [
            texts.permissions,
            <ul key="permissions">
              {permissions.map((one) => (
                <li key={one}>{texts.permissionTexts[one] ?? one}</li>
              ))}
            </ul>
          ],
          [texts.expires, expiresAt === null ? texts.never : <RelativeTime key="expires" at={expiresAt} />],
          [texts.lastUsed, lastUsedAt === null ? texts.notUsed : <RelativeTime key="used" at={lastUsedAt} />],
          revokedAt === null ? null : [texts.revoked, <RelativeTime key="revoked" at={revokedAt} />]
        ]}
      />
      {can("requests:read") && <KeyUse accountId={accountId} keyId={id} />}
    </Dialog>
  )
}
