/**
 * The user's tokens, with which programs act as the user.
 *
 * @module
 */
import { useState } from "react"
import { call } from "../../api/call.ts"
import { type ItemOf, useChange, useList } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useSession } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Choices } from "../../parts/form/Choices.tsx"
import { Field, Input, Select } from "../../parts/form/Field.tsx"
import { ConfirmDialog, Dialog } from "../../parts/overlay/Dialog.tsx"
import { SecretDialog } from "../../parts/overlay/SecretDialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { Entry, Nothing, Rows } from "../../parts/page/Columns.tsx"
import { Card, LoadingLines, Section } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"

const listRoute = "GET /me/tokens"

type Token = ItemOf<typeof listRoute>

/** Days until a token expires; a year at most. */
const expiries = ["30", "90", "365"]

const CreateDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { common, keys, personalTokens: texts, tokens } = useTexts()
  const { memberships } = useSession()
  const [name, setName] = useState("")
  const [expiry, setExpiry] = useState("90")
  const [isLimited, setLimited] = useState(false)
  const [rights, setRights] = useState<ReadonlySet<string>>(new Set())
  const [tried, setTried] = useState(false)
  const { data, error, isPending, mutate, reset } = useChange("POST /me/tokens", { renews: [listRoute] })
  if (data !== undefined)
    return (
      <SecretDialog
        title={keys.createdTitle(data.name)}
        label={tokens.token}
        secret={data.token}
        note={tokens.once}
        onClose={() => {
          reset()
          onClose()
        }}
      />
    )
  const offered = [
    ...new Set(memberships.flatMap((membership) => [...membership.rights.live, ...membership.rights.sandbox]))
  ].toSorted()
  const create = () => {
    setTried(true)
    if (isLimited && rights.size === 0) return
    mutate({
      body: { name: name.trim(), rights: isLimited ? [...rights] : null, expiresInDays: Number(expiry) }
    })
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={create}
      title={texts.add}
      text={texts.addText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {keys.create}
          </Button>
        </>
      }
    >
      {error !== null && error.fields["name"] === undefined && <ErrorBanner error={error} />}
      <Field label={tokens.name} error={error?.fields["name"]}>
        <Input value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={keys.expiry}>
        <Select
          value={expiry}
          onChange={(event) => setExpiry(event.target.value)}
          options={expiries.map((value) => ({ value, label: keys.expiries[value] ?? value }))}
        />
      </Field>
      {offered.length > 0 && (
        <Field label={texts.rights}>
          <Select
            value={isLimited ? "chosen" : "everything"}
            onChange={(event) => setLimited(event.target.value === "chosen")}
            options={(["everything", "chosen"] as const).map((value) => ({ value, label: texts[value] }))}
          />
        </Field>
      )}
      {isLimited && (
        <Choices
          label={tokens.rightsHint}
          values={rights}
          onChange={setRights}
          error={tried && rights.size === 0 ? texts.choose : undefined}
          options={offered.map((value) => ({ value, label: value }))}
        />
      )}
    </Dialog>
  )
}

/** The list. */
export const PersonalTokens = () => {
  const { keys, people, personalTokens: texts, profile, tokens } = useTexts()
  const format = useFormat()
  const { error, hasMore, isLoading, items, loadMore, reload } = useList(listRoute, { params: undefined })
  const [open, setOpen] = useState<Token | "new" | null>(null)
  const [now] = useState(() => new Date())
  const { isBusy, run } = useAction([listRoute])
  const close = () => setOpen(null)
  const revoke = async ({ id, name }: Token) => {
    await run(() => call("DELETE /me/tokens/:id", { params: { id } }), keys.revokedDone(name))
    close()
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
      {error !== null && <ErrorBanner error={error} onRetry={reload} />}
      {isLoading ? (
        <LoadingLines count={2} />
      ) : (
        <Card isFlush>
          {items.length === 0 && <Nothing>{texts.none}</Nothing>}
          <Rows>
            {items.map((token) => (
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
            ))}
          </Rows>
        </Card>
      )}
      {hasMore && (
        <div>
          <Button isSmall onClick={loadMore}>
            {people.moreEvents}
          </Button>
        </div>
      )}
      {open === "new" && <CreateDialog onClose={close} />}
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
          onConfirm={() => void revoke(open)}
        />
      )}
    </Section>
  )
}
