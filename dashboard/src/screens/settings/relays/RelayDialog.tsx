/**
 * Adds or changes a relay: its server and login, what it accepts, its limits, and what verifies its reports.
 *
 * @module
 */
import { optionsOf } from "../../../lib/options.ts"
import { useState } from "react"
import { type InputOf } from "../../../api/call.ts"
import { type ItemOf, useChange } from "../../../api/queries.ts"
import { useTexts } from "../../../app/reader.tsx"
import {
  isLoginChanged,
  loginOf,
  providerServers,
  reportFields,
  type RelayLogin,
  secretReportFields,
  urlOfLogin
} from "../../../lib/relays.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { Choices } from "../../../parts/form/Choices.tsx"
import { Field, Input, PasswordInput, Select } from "../../../parts/form/Field.tsx"
import { Dialog } from "../../../parts/overlay/Dialog.tsx"
import { toast } from "../../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../../parts/page/Banner.tsx"
import { Section } from "../../../parts/page/Page.tsx"
import { useRelayTexts } from "../../../texts/relays/useRelayTexts.ts"

/** The route of a company's relays. */
export const relaysRoute = "GET /companies/:companyId/relays"

/** A relay. */
export type Relay = ItemOf<typeof relaysRoute>

const createRoute = "POST /companies/:companyId/relays"
const changeRoute = "PATCH /companies/:companyId/relays/:id"

type Create = NonNullable<InputOf<typeof createRoute>["body"]>

/** The number that was typed; null if empty. An invalid number becomes 0, which the service rejects with a reason. */
const limitOf = (text: string): number | null => {
  const number = Number(text.trim())
  return text.trim() === "" ? null : Number.isInteger(number) ? number : 0
}

/** The dialog. `onDone` receives a relay that was added, or whose login was changed. */
export const RelayDialog = ({
  companyId,
  onClose,
  onDone,
  relay
}: {
  readonly companyId: string
  /** Null for a new relay. */
  readonly relay: Relay | null
  readonly onClose: () => void
  readonly onDone: (relay: Relay) => void
}) => {
  const { common } = useTexts()
  const texts = useRelayTexts()
  const [kind, setKind] = useState<Relay["kind"]>(relay?.kind ?? "AmazonSes")
  const [name, setName] = useState(relay?.name ?? texts.kinds["AmazonSes"] ?? "")
  const [login, setLogin] = useState<RelayLogin>(() =>
    relay === null
      ? { ...loginOf("smtp://x"), host: providerServers["AmazonSes"]?.host ?? "" }
      : loginOf(relay.url)
  )
  const [streams, setStreams] = useState<ReadonlySet<string>>(
    new Set(relay?.streams ?? ["Transactional", "Marketing"])
  )
  const [perSecond, setPerSecond] = useState(relay?.maxPerSecond?.toString() ?? "")
  const [perDay, setPerDay] = useState(relay?.dailyLimit?.toString() ?? "")
  const [reports, setReports] = useState<Readonly<Record<string, string>>>({})
  const [isAgain, setAgain] = useState(false)
  const renews = [relaysRoute] as const
  const made = useChange(createRoute, { renews })
  const changed = useChange(changeRoute, { renews })
  const { error, isPending } = relay === null ? made : changed
  const isLogin = relay === null || isLoginChanged(login, relay.url)
  const shownReport = (field: string): string => {
    const value = relay?.feedback[field as keyof Relay["feedback"]]
    return typeof value === "string" ? value : ""
  }
  const feedback = Object.fromEntries(
    Object.entries(reports)
      .filter(([field, value]) => value !== shownReport(field))
      .map(([field, value]) => [field, value.trim() === "" ? null : value.trim()])
  )
  const choose = (next: Relay["kind"]) => {
    const server = providerServers[next]
    setKind(next)
    setReports({})
    if (name === (texts.kinds[kind] ?? "")) setName(texts.kinds[next] ?? "")
    setLogin({ ...login, host: server?.host ?? "", user: server?.user ?? "" })
  }
  const save = () => {
    const isPasswordKept = relay !== null && login.password === "" && relay.url.includes("***")
    if (isLogin && isPasswordKept) {
      setAgain(true)
      return
    }
    setAgain(false)
    const body = {
      name: name.trim(),
      streams: [...streams] as Create["streams"] & {},
      maxPerSecond: limitOf(perSecond),
      dailyLimit: limitOf(perDay),
      ...(Object.keys(feedback).length === 0 ? {} : { feedback })
    }
    const finish = (saved: Relay) => {
      toast(texts.saved(saved.name))
      onClose()
      if (isLogin) onDone(saved)
    }
    const url = urlOfLogin(login, relay?.url)
    if (relay === null)
      made.mutate({ params: { companyId }, body: { ...body, kind, url } }, { onSuccess: finish })
    else
      changed.mutate(
        { params: { companyId, id: relay.id }, body: { ...body, ...(isLogin ? { url } : {}) } },
        { onSuccess: finish }
      )
  }
  const errorOf = (field: string): string | undefined =>
    Object.entries(error?.fields ?? {}).find(([key]) => key === field || key.startsWith(`${field}[`))?.[1]
  const fields = reportFields[kind] ?? []
  const known = [
    "name",
    "kind",
    "url",
    "streams",
    "maxPerSecond",
    "dailyLimit",
    ...fields.map((field) => `feedback.${field}`)
  ]
  const isShown = known.some((field) => errorOf(field) !== undefined)
  const text = (key: "host" | "port" | "user") => ({
    dir: "ltr" as const,
    autoComplete: "off",
    value: login[key],
    onChange: (event: { readonly target: { readonly value: string } }) =>
      setLogin({ ...login, [key]: event.target.value })
  })
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      onSubmit={save}
      title={relay === null ? texts.add : texts.editTitle(relay.name)}
      text={texts.addText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {relay === null ? common.add : common.save}
          </Button>
        </>
      }
    >
      {error !== null && !isShown && <ErrorBanner error={error} />}
      {relay === null && (
        <Field label={texts.kind} error={errorOf("kind")}>
          <Select
            value={kind}
            onChange={(event) => choose(event.target.value as Relay["kind"])}
            options={optionsOf(texts.kinds)}
          />
        </Field>
      )}
      <Field label={texts.name} error={errorOf("name")}>
        <Input value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={texts.host} error={errorOf("url")}>
        <Input {...text("host")} />
      </Field>
      <Field label={texts.security}>
        <Select
          value={login.security}
          onChange={(event) => {
            const security = event.target.value as RelayLogin["security"]
            setLogin({ ...login, security, port: security === "Implicit" ? "465" : "587" })
          }}
          options={optionsOf(texts.securities)}
        />
      </Field>
      <Field label={texts.port}>
        <Input inputMode="numeric" {...text("port")} />
      </Field>
      <Field label={texts.user}>
        <Input {...text("user")} />
      </Field>
      <Field
        label={texts.password}
        {...(relay === null ? {} : { hint: texts.keepPassword })}
        error={isAgain ? texts.passwordAgain : undefined}
      >
        <PasswordInput
          autoComplete="new-password"
          value={login.password}
          onChange={(event) => setLogin({ ...login, password: event.target.value })}
        />
      </Field>
      <Choices
        label={texts.streams}
        values={streams}
        onChange={setStreams}
        error={errorOf("streams")}
        options={optionsOf(texts.streamNames)}
      />
      <Field label={texts.maxPerSecond} hint={texts.noLimit} isOptional error={errorOf("maxPerSecond")}>
        <Input inputMode="numeric" value={perSecond} onChange={(event) => setPerSecond(event.target.value)} />
      </Field>
      <Field label={texts.dailyLimit} hint={texts.noLimit} isOptional error={errorOf("dailyLimit")}>
        <Input inputMode="numeric" value={perDay} onChange={(event) => setPerDay(event.target.value)} />
      </Field>
      {fields.length > 0 && (
        <Section title={texts.reports} text={texts.reportsText}>
          {fields.map((field) => {
            const isSecret = secretReportFields.has(field)
            const bind = {
              dir: "ltr" as const,
              autoComplete: isSecret ? "new-password" : "off",
              value: reports[field] ?? shownReport(field),
              onChange: (event: { readonly target: { readonly value: string } }) => {
                const { [field]: _, ...others } = reports
                const { value } = event.target
                // An empty secret means that the stored one is kept.
                setReports(isSecret && value === "" ? others : { ...others, [field]: value })
              }
            }
            const isSet = relay?.feedback[field] === true
            return (
              <Field
                key={field}
                label={texts.reportFields[field] ?? field}
                {...(isSecret && isSet ? { hint: texts.isSet } : {})}
                isOptional
                error={errorOf(`feedback.${field}`)}
              >
                {isSecret ? <PasswordInput {...bind} /> : <Input {...bind} />}
              </Field>
            )
          })}
        </Section>
      )}
    </Dialog>
  )
}
