/**
 * The pools of sources: the number of addresses in each, and the pool that takes over if none can send.
 *
 * @module
 */
import { useState } from "react"
import { call } from "../../../api/call.ts"
import { useApi, useChange } from "../../../api/queries.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { keyOfName } from "../../../lib/keyOfName.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { Field, Input, Select } from "../../../parts/form/Field.tsx"
import { ConfirmDialog, Dialog } from "../../../parts/overlay/Dialog.tsx"
import { toast } from "../../../parts/overlay/toasts.ts"
import { useAction } from "../../../parts/overlay/useAction.ts"
import { ErrorBanner } from "../../../parts/page/Banner.tsx"
import { Entry, Row, Rows } from "../../../parts/page/Columns.tsx"
import { Loaded } from "../../../parts/page/Loaded.tsx"
import { Card, Section } from "../../../parts/page/Page.tsx"
import { useSourceTexts } from "../../../texts/sources/useSourceTexts.ts"
import { all, type Pool, poolsRoute, sourceRoutes } from "./sourceStates.ts"

/** The pool that always exists. */
const defaultPool = "default"

/** The most characters of a pool's key. */
const maxKey = 40

const PoolDialog = ({
  onClose,
  pool,
  pools
}: {
  /** Null for a new pool. */
  readonly pool: Pool | null
  readonly pools: ReadonlyArray<Pool>
  readonly onClose: () => void
}) => {
  const { common } = useTexts()
  const { pools: texts } = useSourceTexts()
  const [name, setName] = useState(pool?.name ?? "")
  const [typedKey, setTypedKey] = useState<string | null>(null)
  const [overflow, setOverflow] = useState(pool?.overflow ?? "")
  const add = useChange("POST /pools", { renews: sourceRoutes })
  const change = useChange("PATCH /pools/:key", { renews: sourceRoutes })
  const { error, isPending } = pool === null ? add : change
  const key = typedKey ?? keyOfName(name).replaceAll("_", "-").slice(0, maxKey)
  const body = { name: name.trim(), overflow: overflow === "" ? null : overflow }
  const onSuccess = (done: (name: string) => string) => (saved: Pool) => {
    toast(done(saved.name))
    onClose()
  }
  const save = () =>
    pool === null
      ? add.mutate({ body: { ...body, key } }, { onSuccess: onSuccess(texts.added) })
      : change.mutate({ params: { key: pool.key }, body }, { onSuccess: onSuccess(texts.changed) })
  const known = ["name", "key", "overflow"]
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={save}
      title={pool === null ? texts.add : texts.changeTitle(pool.name)}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {pool === null ? texts.add : texts.save}
          </Button>
        </>
      }
    >
      {error !== null && !known.some((field) => error.fields[field] !== undefined) && (
        <ErrorBanner error={error} />
      )}
      <Field label={texts.name} error={error?.fields["name"]}>
        <Input value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      </Field>
      {pool === null && (
        <Field label={texts.key} hint={texts.keyHint} error={error?.fields["key"]}>
          <Input
            value={key}
            dir="ltr"
            autoCapitalize="off"
            autoComplete="off"
            onChange={(event) => setTypedKey(event.target.value)}
          />
        </Field>
      )}
      <Field label={texts.overflow} hint={texts.overflowHint} error={error?.fields["overflow"]}>
        <Select
          value={overflow}
          onChange={(event) => setOverflow(event.target.value)}
          options={[
            { value: "", label: texts.none },
            ...pools
              .filter((other) => other.key !== pool?.key)
              .map((other) => ({ value: other.key, label: other.name }))
          ]}
        />
      </Field>
    </Dialog>
  )
}

/** The section. */
export const Pools = () => {
  const { pools: texts } = useSourceTexts()
  const format = useFormat()
  const query = useApi(poolsRoute, all)
  const [open, setOpen] = useState<Pool | "new" | null>(null)
  const [removing, setRemoving] = useState<Pool | null>(null)
  const { run } = useAction(sourceRoutes)
  const nameOf = (key: string): string => query.data?.items.find((pool) => pool.key === key)?.name ?? key
  const remove = ({ key, name }: Pool) => {
    setRemoving(null)
    void run(
      () => call("DELETE /pools/:key", { params: { key } }),
      texts.removed(name),
      undefined,
      (pool: Pool) => (pool.key === key ? null : pool)
    )
  }
  return (
    <Section
      title={texts.title}
      text={texts.text}
      actions={
        <Button icon="plus" onClick={() => setOpen("new")}>
          {texts.add}
        </Button>
      }
    >
      <Loaded query={query}>
        {({ items }) => (
          <>
            <Card isFlush>
              <Rows>
                {items.map((pool) => (
                  <Entry
                    key={pool.key}
                    text={[
                      texts.count(format.number(pool.sources), pool.sources),
                      ...(pool.overflow === null ? [] : [texts.overflowsTo(nameOf(pool.overflow))])
                    ].join(" · ")}
                    end={
                      <Row>
                        <Button
                          isSmall
                          aria-label={`${texts.change}: ${pool.name}`}
                          onClick={() => setOpen(pool)}
                        >
                          {texts.change}
                        </Button>
                        {pool.key !== defaultPool && (
                          <Button
                            isSmall
                            tone="quiet"
                            aria-label={`${texts.remove}: ${pool.name}`}
                            onClick={() => setRemoving(pool)}
                          >
                            {texts.remove}
                          </Button>
                        )}
                      </Row>
                    }
                  >
                    <strong>
                      <bdi>{pool.name}</bdi>
                    </strong>
                    <code>{pool.key}</code>
                  </Entry>
                ))}
              </Rows>
            </Card>
            {open !== null && (
              <PoolDialog pool={open === "new" ? null : open} pools={items} onClose={() => setOpen(null)} />
            )}
          </>
        )}
      </Loaded>
      {removing !== null && (
        <ConfirmDialog
          isOpen
          title={texts.removeTitle(removing.name)}
          text={texts.removeText(format.number(removing.sources), removing.sources)}
          action={texts.remove}
          onClose={() => setRemoving(null)}
          onConfirm={() => remove(removing)}
        />
      )}
    </Section>
  )
}
