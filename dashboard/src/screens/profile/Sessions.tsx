/**
 * The browsers in which the user is signed in.
 *
 * @module
 */
import { useState } from "react"
import { call } from "../../api/call.ts"
import { type ItemOf, useList } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { signOut } from "../../app/signOut.ts"
import { browserOf } from "../../lib/agent.ts"
import { Button } from "../../parts/form/Button.tsx"
import { ConfirmDialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { useAction } from "../../parts/overlay/useAction.ts"
import { Entries } from "../../parts/list/Entries.tsx"
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
  const { run } = useAction([listRoute])
  const end = (id: string) =>
    void run(
      () => call("DELETE /me/sessions/:id", { params: { id } }),
      texts.ended,
      undefined,
      (one: ItemOf<typeof listRoute>) => (one.id === id ? null : one)
    )
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
                <Button isSmall onClick={() => end(id)}>
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
        onConfirm={() => void signOut(true).catch(() => toast(errors.unreachable, { tone: "bad" }))}
      />
    </Section>
  )
}
