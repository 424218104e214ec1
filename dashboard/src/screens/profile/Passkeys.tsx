/**
 * The user's passkeys.
 *
 * @module
 */
import { useState } from "react"
import { call } from "../../api/call.ts"
import { ApiError } from "../../api/errors.ts"
import { useApi, useChange } from "../../api/queries.ts"
import { hasPasskeys, makePasskey } from "../../app/passkeys.ts"
import { useTexts } from "../../app/reader.tsx"
import { browserOf } from "../../lib/agent.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Input } from "../../parts/form/Field.tsx"
import { ConfirmDialog, Dialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { useAction } from "../../parts/overlay/useAction.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { Entry, Nothing, Row, Rows } from "../../parts/page/Columns.tsx"
import { LoadingLines } from "../../parts/page/Empty.tsx"
import { Card, Section } from "../../parts/page/Page.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useOtherSessions } from "./useOtherSessions.ts"

const listRoute = "GET /me/passkeys"

/** The routes that are read again after a change. */
const renews = [listRoute, "GET /session", "GET /me/sessions"] as const

const AddDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { common, passkeys: texts } = useTexts()
  const [name, setName] = useState(browserOf(navigator.userAgent) ?? "")
  const [isBusy, setBusy] = useState(false)
  const [isThere, setThere] = useState(false)
  const { error, mutateAsync } = useChange("POST /me/passkeys", { renews })
  const add = async () => {
    setBusy(true)
    setThere(false)
    try {
      const { options } = await mutateAsync({ body: {} })
      const passkey = options === null ? null : await makePasskey(options)
      if (passkey === null) return
      await mutateAsync({ body: { passkey, ...(name.trim() === "" ? {} : { name: name.trim() }) } })
      toast(texts.added)
      onClose()
    } catch (failed) {
      if (failed instanceof DOMException && failed.name === "InvalidStateError") setThere(true)
      else if (!(failed instanceof ApiError)) throw failed
    } finally {
      setBusy(false)
    }
  }
  const wrong = isThere ? texts.already : error?.fields["name"]
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => void add()}
      title={texts.add}
      text={texts.addText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isBusy}>
            {common.add}
          </Button>
        </>
      }
    >
      {error !== null && wrong === undefined && <ErrorBanner error={error} />}
      <Field label={texts.name} hint={texts.nameHint} error={wrong}>
        <Input value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      </Field>
    </Dialog>
  )
}

interface Named {
  readonly id: string
  readonly name: string
}

const RenameDialog = ({ onClose, passkey }: { readonly passkey: Named; readonly onClose: () => void }) => {
  const { common, passkeys: texts } = useTexts()
  const [name, setName] = useState(passkey.name)
  const { error, isPending, mutate } = useChange("PATCH /me/passkeys/:id", { renews: [listRoute] })
  const save = () =>
    mutate(
      { params: { id: passkey.id }, body: { name: name.trim() } },
      {
        onSuccess: () => {
          toast(texts.renamed)
          onClose()
        }
      }
    )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={save}
      title={texts.rename}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {common.save}
          </Button>
        </>
      }
    >
      <Field label={texts.name} error={error?.fields["name"] ?? error?.message}>
        <Input value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      </Field>
    </Dialog>
  )
}

/** The list. */
export const Passkeys = () => {
  const { passkeys: texts } = useTexts()
  const { data, error, refetch } = useApi(listRoute, {})
  const { run } = useAction(renews)
  const [open, setOpen] = useState<
    "add" | { readonly kind: "rename" | "remove"; readonly passkey: Named } | null
  >(null)
  const close = () => setOpen(null)
  const remove = ({ id }: Named) => {
    close()
    void run(
      () => call("DELETE /me/passkeys/:id", { params: { id } }),
      texts.removed,
      undefined,
      (one: Named) => (one.id === id ? null : one)
    )
  }
  const changed = open === null || open === "add" ? null : open
  const others = useOtherSessions(changed?.kind === "remove")
  return (
    <Section
      title={texts.title}
      text={texts.text}
      actions={
        hasPasskeys() && (
          <Button isSmall icon="plus" onClick={() => setOpen("add")}>
            {texts.add}
          </Button>
        )
      }
    >
      {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null && <LoadingLines count={2} />
      ) : (
        <Card isFlush>
          {data.length === 0 && <Nothing>{hasPasskeys() ? texts.none : texts.unsupported}</Nothing>}
          <Rows>
            {data.map(({ createdAt, id, lastUsedAt, name }) => (
              <Entry
                key={id}
                text={
                  <>
                    {texts.created} <RelativeTime at={createdAt} /> ·{" "}
                    {lastUsedAt === null ? (
                      texts.unused
                    ) : (
                      <>
                        {texts.used} <RelativeTime at={lastUsedAt} />
                      </>
                    )}
                  </>
                }
                end={
                  <Row>
                    <Button isSmall onClick={() => setOpen({ kind: "rename", passkey: { id, name } })}>
                      {texts.rename}
                    </Button>
                    <Button
                      isSmall
                      tone="danger"
                      onClick={() => setOpen({ kind: "remove", passkey: { id, name } })}
                    >
                      {texts.remove}
                    </Button>
                  </Row>
                }
              >
                <bdi>{name}</bdi>
              </Entry>
            ))}
          </Rows>
        </Card>
      )}
      {open === "add" && <AddDialog onClose={close} />}
      {changed?.kind === "rename" && <RenameDialog passkey={changed.passkey} onClose={close} />}
      {changed?.kind === "remove" && (
        <ConfirmDialog
          isOpen
          onClose={close}
          title={texts.removeTitle(changed.passkey.name)}
          text={others === undefined || data === undefined ? null : texts.removeText(data.length - 1, others)}
          action={texts.remove}
          onConfirm={() => remove(changed.passkey)}
        />
      )}
    </Section>
  )
}
