/**
 * The user's personal tokens, with which programs act as the user.
 *
 * @module
 */
import { Entries } from "../../parts/list/Entries.tsx"
import { useState } from "react"
import { call } from "../../api/call.ts"
import { type ItemOf, useChange, useList } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useSession } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Select } from "../../parts/form/Field.tsx"
import { ConfirmDialog } from "../../parts/overlay/Dialog.tsx"
import { TokenDialog } from "../../parts/overlay/CreateDialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { Entry } from "../../parts/page/Columns.tsx"
import { Section } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"

const listRoute = "GET /me/tokens"

type Token = ItemOf<typeof listRoute>

/** The options for a token's expiry in days; at most a year. */
const expiries = ["30", "90", "365"]

const AddDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { personalTokens: texts, tokens } = useTexts()
  const { memberships } = useSession()
  const [isLimited, setLimited] = useState(false)
  const change = useChange("POST /me/tokens", { renews: [listRoute] })
  const offered = [
    ...new Set(memberships.flatMap((membership) => [...membership.rights.live, ...membership.rights.sandbox]))
  ].toSorted()
  return (
    <TokenDialog
      change={change}
      onClose={onClose}
      title={texts.add}
      text={texts.addText}
      name={tokens.name}
      expiries={expiries}
      choices={
        isLimited
          ? [{ label: tokens.rightsHint, options: offered.map((value) => ({ value, label: value })) }]
          : []
      }
      choose={texts.choose}
      shown={({ token }) => ({ label: tokens.token, secret: token, note: tokens.once })}
      onCreate={(draft) => change.mutate({ body: { ...draft, rights: isLimited ? draft.rights : null } })}
    >
      {offered.length > 0 && (
        <Field label={texts.rights}>
          <Select
            value={isLimited ? "chosen" : "everything"}
            onChange={(event) => setLimited(event.target.value === "chosen")}
            options={(["everything", "chosen"] as const).map((value) => ({ value, label: texts[value] }))}
          />
        </Field>
      )}
    </TokenDialog>
  )
}

/** The list. */
export const PersonalTokens = () => {
  const { keys, personalTokens: texts, profile, tokens } = useTexts()
  const format = useFormat()
  const list = useList(listRoute, { params: undefined })
  const [open, setOpen] = useState<Token | "new" | null>(null)
  const [now] = useState(() => new Date())
  const { isBusy, run } = useAction([listRoute])
  const close = () => setOpen(null)
  const revoke = ({ id, name }: Token) => {
    close()
    void run(
      () => call("DELETE /me/tokens/:id", { params: { id } }),
      keys.revokedDone(name),
      undefined,
      (token: Token) => (token.id === id ? { ...token, revokedAt: new Date().toISOString() } : token)
    )
  }
  return (
    <Section
      title={profile.tabs.tokens}
      text={texts.text}
      actions={
        <Button isSmall icon="plus" onClick={() => setOpen("new")}>
          {texts.add}
        </Button>
      }
    >
      <Entries list={list} empty={texts.none}>
        {(token) => (
          <Entry
            key={token.id}
            text={
              <>
                <code>{token.display}</code> ·{" "}
                {token.rights === null
                  ? texts.everything
                  : tokens.countRights(format.number(token.rights.length), token.rights.length)}{" "}
                · {texts.expires} <RelativeTime at={token.expiresAt} /> ·{" "}
                {token.lastUsedAt === null ? (
                  texts.unused
                ) : (
                  <>
                    {texts.used} <RelativeTime at={token.lastUsedAt} />
                    {token.lastUsedNetwork !== null && ` ${tokens.network} ${token.lastUsedNetwork}`}
                  </>
                )}
              </>
            }
            end={
              token.revokedAt === null && (
                <Button isSmall tone="danger" onClick={() => setOpen(token)}>
                  {keys.revoke}
                </Button>
              )
            }
          >
            <bdi>{token.name}</bdi>
            {token.revokedAt !== null && <Badge>{keys.revoked}</Badge>}
          </Entry>
        )}
      </Entries>
      {open === "new" && <AddDialog onClose={close} />}
      {open !== null && open !== "new" && (
        <ConfirmDialog
          isOpen
          title={tokens.revokeTitle(open.name)}
          text={tokens.revokeText(
            open.lastUsedAt === null ? keys.notUsed : format.relative(new Date(open.lastUsedAt), now)
          )}
          action={keys.revoke}
          isBusy={isBusy}
          onClose={close}
          onConfirm={() => revoke(open)}
        />
      )}
    </Section>
  )
}
