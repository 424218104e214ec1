/**
 * The limits of a provider or a site with the origin of each, and a form for an operator's own limits.
 *
 * @module
 */
import { optionsOf } from "../../../lib/options.ts"
import { useState } from "react"
import { call, type InputOf, type ValueOf } from "../../../api/call.ts"
import { useChange } from "../../../api/queries.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { limitsOf, timeouts } from "../../../lib/lanes.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { Field, Input, Select } from "../../../parts/form/Field.tsx"
import { Dialog } from "../../../parts/overlay/Dialog.tsx"
import { toast } from "../../../parts/overlay/toasts.ts"
import { useAction } from "../../../parts/overlay/useAction.ts"
import { ErrorBanner } from "../../../parts/page/Banner.tsx"
import { Table } from "../../../parts/show/Table.tsx"
import { useSourceTexts } from "../../../texts/sources/useSourceTexts.ts"
import styles from "../Installation.module.css"
import { lanesRoute, providersRoute } from "./lanes.ts"

type Rules = ValueOf<typeof providersRoute>["items"][number]["rules"]

const numbers = [
  "startWidth",
  "maxWidth",
  "messagesPerConnection",
  "messagesPerSecond",
  "connectionsPerMinute",
  "idleSeconds"
] as const

const renews = [providersRoute, lanesRoute] as const

/** The dialog. Without a target, the limits are read-only. */
export const LimitsDialog = ({
  name,
  onClose,
  rules,
  target
}: {
  readonly name: string
  /** The effective value of each rule; null if unknown. */
  readonly rules: Rules | null
  /** A provider's key, or a site. */
  readonly target: string | null
  readonly onClose: () => void
}) => {
  const { common } = useTexts()
  const { limits: texts } = useSourceTexts()
  const format = useFormat()
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [tried, setTried] = useState(false)
  const { error, isPending, mutate } = useChange("PUT /shaping/overrides/:target", { renews })
  const { isBusy, run } = useAction(renews)
  const { fields, values } = limitsOf(typed, numbers)
  const set = (key: string, value: string) => setTyped({ ...typed, [key]: value })
  const isEmpty = Object.keys(values.rules).length === 0
  const isOverridden = rules === null || Object.values(rules).some(({ from }) => from === "Override")
  const messageOf = (key: string): string | undefined => {
    const own = tried ? fields[key] : undefined
    if (own !== undefined) return texts[own]
    return error?.fields[key] ?? error?.fields[`timeouts.${key}`]
  }
  const save = () => {
    setTried(true)
    if (target === null || isEmpty || Object.keys(fields).length > 0) return
    const until =
      values.hours === null ? {} : { until: new Date(Date.now() + values.hours * 3_600_000).toISOString() }
    const body = { ...values.rules, ...until, reason: (typed["reason"] ?? "").trim() }
    mutate({ params: { target }, body } as InputOf<"PUT /shaping/overrides/:target">, {
      onSuccess: () => {
        toast(texts.saved(name))
        onClose()
      }
    })
  }
  const remove = async () => {
    if (target === null) return
    const removing = () => call("DELETE /shaping/overrides/:target", { params: { target } })
    if (await run(removing, texts.removed(name))) onClose()
  }
  const shownOf = (value: Rules[string]["value"]): string =>
    typeof value === "number"
      ? format.number(value)
      : typeof value === "string"
        ? (texts.tls[value] ?? value)
        : Object.entries(value as Readonly<Record<string, number>>)
            .map(([stage, millis]) => `${texts.timeouts[stage]} ${format.number(millis / 1000)}`)
            .join(", ")
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      onSubmit={save}
      title={texts.title(name)}
      {...(target === null ? {} : { text: texts.text })}
      actions={
        target === null ? (
          <Button onClick={onClose}>{common.close}</Button>
        ) : (
          <>
            {isOverridden && (
              <Button isBusy={isBusy} onClick={() => void remove()}>
                {texts.remove}
              </Button>
            )}
            <Button onClick={onClose}>{common.cancel}</Button>
            <Button type="submit" tone="primary" isBusy={isPending}>
              {texts.save}
            </Button>
          </>
        )
      }
    >
      {error !== null && Object.keys(error.fields).length === 0 && <ErrorBanner error={error} />}
      {rules !== null && (
        <Table
          label={texts.title(name)}
          rows={Object.entries(rules)}
          keyOf={([key]) => key}
          columns={[
            { key: "rule", head: texts.rule, cell: ([key]) => texts.names[key] ?? key },
            { key: "value", head: texts.value, isEnd: true, cell: ([, { value }]) => shownOf(value) },
            { key: "from", head: texts.from, cell: ([, { from }]) => texts.origins[from] }
          ]}
        />
      )}
      {target !== null && (
        <>
          <div className={styles["fields"]}>
            {[...numbers, ...timeouts].map((key) => (
              <Field
                key={key}
                label={texts.names[key] ?? texts.timeouts[key]}
                error={messageOf(key)}
                isOptional
              >
                <Input
                  inputMode="numeric"
                  value={typed[key] ?? ""}
                  onChange={(event) => set(key, event.target.value)}
                />
              </Field>
            ))}
            <Field label={texts.names["tls"]} isOptional>
              <Select
                value={typed["tls"] ?? ""}
                onChange={(event) => set("tls", event.target.value)}
                options={optionsOf(texts.tls)}
              />
            </Field>
            <Field label={texts.hours} hint={texts.hoursHint} error={messageOf("hours")} isOptional>
              <Input
                inputMode="numeric"
                value={typed["hours"] ?? ""}
                onChange={(event) => set("hours", event.target.value)}
              />
            </Field>
          </div>
          <Field
            label={texts.reason}
            hint={texts.reasonHint}
            error={error?.fields["reason"] ?? (tried && isEmpty ? texts.nothing : undefined)}
          >
            <Input
              value={typed["reason"] ?? ""}
              autoComplete="off"
              onChange={(event) => set("reason", event.target.value)}
            />
          </Field>
        </>
      )}
    </Dialog>
  )
}
