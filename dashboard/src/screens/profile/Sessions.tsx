/**
 * The browsers in which the user is signed in.
 *
 * @module
 */
import { useState } from "react"
import { useApi, useChange } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { signOut } from "../../app/signOut.ts"
import { browserOf } from "../../lib/agent.ts"
import { Button } from "../../parts/form/Button.tsx"
import { ConfirmDialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { Card, LoadingLines, Section } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import styles from "./Security.module.css"

/** The list. */
export const Sessions = () => {
  const { errors, profile: texts } = useTexts()
  const [isAsking, setAsking] = useState(false)
  const { data, error, refetch } = useApi("GET /me/sessions", {})
  const end = useChange("DELETE /me/sessions/:id", { renews: ["GET /me/sessions"] })
  return (
    <Section
      title={texts.tabs.sessions}
      text={texts.sessionsText}
      actions={
        <Button tone="danger" isSmall onClick={() => setAsking(true)}>
          {texts.endOthers}
        </Button>
      }
    >
      {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {end.error !== null && <ErrorBanner error={end.error} />}
      {data === undefined ? (
        error === null && <LoadingLines count={3} />
      ) : (
        <Card isFlush>
          <ul>
            {data.map(({ createdAt, current, id, lastUsedAt, network, userAgent }) => (
              <li key={id} className={styles["session"]}>
                <div>
                  <span className={styles["browser"]} title={userAgent ?? undefined}>
                    {browserOf(userAgent) ?? userAgent?.slice(0, 60) ?? texts.unknownBrowser}
                    {current && <Badge tone="accent">{texts.current}</Badge>}
                  </span>
                  <span className={styles["soft"]}>
                    {network} · {texts.lastUsed} <RelativeTime at={lastUsedAt} /> · {texts.since}{" "}
                    <RelativeTime at={createdAt} />
                  </span>
                </div>
                {!current && (
                  <Button
                    isSmall
                    isBusy={end.isPending && end.variables.params.id === id}
                    onClick={() => end.mutate({ params: { id } }, { onSuccess: () => toast(texts.ended) })}
                  >
                    {texts.end}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </Card>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={texts.endOthers}
        text={data === undefined ? null : texts.endOthersText(data.length)}
        action={texts.endOthers}
        onConfirm={() => void signOut(true).catch(() => toast(errors.offline, { tone: "bad" }))}
      />
    </Section>
  )
}
