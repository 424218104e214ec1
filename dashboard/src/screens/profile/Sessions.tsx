/**
 * The browsers in which the user is signed in.
 *
 * @module
 */
import { useState } from "react"
import { useChange, useList } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { signOut } from "../../app/signOut.ts"
import { browserOf } from "../../lib/agent.ts"
import { Button } from "../../parts/form/Button.tsx"
import { ConfirmDialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { Entries } from "../../parts/list/Entries.tsx"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { Entry } from "../../parts/page/Columns.tsx"
import { Section } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"

const listRoute = "GET /me/sessions"

/** The list. */
export const Sessions = () => {
  const { errors, profile: texts } = useTexts()
  const [isAsking, setAsking] = useState(false)
  const list = useList(listRoute, { params: undefined })
  const end = useChange("DELETE /me/sessions/:id", { renews: [listRoute] })
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
      {end.error !== null && <ErrorBanner error={end.error} />}
      <Entries list={list} empty={null}>
        {({ createdAt, current, id, lastUsedAt, network, userAgent }) => (
          <Entry
            key={id}
            text={
              <>
                {network} · {texts.lastUsed} <RelativeTime at={lastUsedAt} /> · {texts.since}{" "}
                <RelativeTime at={createdAt} />
              </>
            }
            end={
              !current && (
                <Button
                  isSmall
                  isBusy={end.isPending && end.variables.params.id === id}
                  onClick={() => end.mutate({ params: { id } }, { onSuccess: () => toast(texts.ended) })}
                >
                  {texts.end}
                </Button>
              )
            }
          >
            <span title={userAgent ?? undefined}>
              {browserOf(userAgent) ?? userAgent?.slice(0, 60) ?? texts.unknownBrowser}
            </span>
            {current && <Badge tone="accent">{texts.current}</Badge>}
          </Entry>
        )}
      </Entries>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={texts.endOthers}
        text={list.total === null ? null : texts.endOthersText(list.total.count)}
        action={texts.endOthers}
        onConfirm={() => void signOut(true).catch(() => toast(errors.offline, { tone: "bad" }))}
      />
    </Section>
  )
}
