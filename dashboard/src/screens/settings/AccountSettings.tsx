/**
 * The settings of the account, each with an explanation.
 *
 * @module
 */
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import type { InputOf, ValueOf } from "../../api/call.ts"
import { useApi, useChange } from "../../api/queries.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount, useSession } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Checkbox, Field, Input } from "../../parts/form/Field.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Card, Page, Section } from "../../parts/page/Page.tsx"
import { Archive } from "./Archive.tsx"
import styles from "./Settings.module.css"
import { Marketing } from "./Marketing.tsx"
import { Usage } from "./Usage.tsx"

const readRoute = "GET /accounts/:accountId"

type Settings = ValueOf<typeof readRoute>["settings"]
type Patch = InputOf<"PATCH /accounts/:accountId/settings">["body"] & {}

/** The settings as the form holds them; numbers are strings as typed. */
interface Draft {
  readonly trackingOpens: boolean
  readonly trackingClicks: boolean
  readonly flowOpens: boolean
  readonly flowClicks: boolean
  readonly trapLink: boolean
  readonly requireTls: boolean
  readonly preserveSigned: boolean
  readonly autoCreateAttributes: boolean
  readonly keepErased: boolean
  readonly conversionWindowDays: string
  readonly retentionDays: string
  readonly recipientRetentionDays: string
  readonly requestLogDays: string
  readonly reviewFirst: string
  readonly contactLimit: string
  readonly dailySendLimit: string
  readonly rateLimitPerMinute: string
}

const textOf = (value: number | null): string => (value === null ? "" : String(value))

const draftOf = (settings: Settings): Draft => ({
  trackingOpens: settings.tracking.opens,
  trackingClicks: settings.tracking.clicks,
  flowOpens: settings.flowTracking.opens,
  flowClicks: settings.flowTracking.clicks,
  trapLink: settings.trapLink,
  requireTls: settings.requireTls,
  preserveSigned: settings.preserveSigned,
  autoCreateAttributes: settings.autoCreateAttributes,
  keepErased: settings.keepErased,
  conversionWindowDays: textOf(settings.conversionWindowDays),
  retentionDays: textOf(settings.retentionDays),
  recipientRetentionDays: textOf(settings.recipientRetentionDays),
  requestLogDays: textOf(settings.requestLogDays),
  reviewFirst: textOf(settings.reviewFirst),
  contactLimit: textOf(settings.contactLimit),
  dailySendLimit: textOf(settings.dailySendLimit),
  rateLimitPerMinute: textOf(settings.rateLimitPerMinute)
})

const plainSwitches = [
  "trapLink",
  "requireTls",
  "preserveSigned",
  "autoCreateAttributes",
  "keepErased"
] as const
const numbers = [
  "conversionWindowDays",
  "retentionDays",
  "recipientRetentionDays",
  "requestLogDays",
  "reviewFirst",
  "contactLimit",
  "dailySendLimit",
  "rateLimitPerMinute"
] as const

/**
 * The fields of a draft that differ from what was read. An invalid number is sent as it is, and the service rejects it with a
 * reason.
 */
const patchOf = (before: Draft, draft: Draft): Patch => ({
  ...(before.trackingOpens === draft.trackingOpens && before.trackingClicks === draft.trackingClicks
    ? {}
    : { tracking: { opens: draft.trackingOpens, clicks: draft.trackingClicks } }),
  ...(before.flowOpens === draft.flowOpens && before.flowClicks === draft.flowClicks
    ? {}
    : { flowTracking: { opens: draft.flowOpens, clicks: draft.flowClicks } }),
  ...Object.fromEntries(
    plainSwitches.flatMap((key) => (before[key] === draft[key] ? [] : [[key, draft[key]]]))
  ),
  ...Object.fromEntries(
    numbers.flatMap((key) => {
      const text = draft[key].trim()
      return before[key] === text
        ? []
        : [[key, text === "" ? null : Number.isNaN(Number(text)) ? text : Number(text)]]
    })
  )
})

/** The settings for how many days data are kept. */
const erasing = ["retentionDays", "recipientRetentionDays", "requestLogDays"] as const

const dayMillis = 86_400_000

const groups = [
  {
    key: "tracking",
    switches: ["trackingOpens", "trackingClicks", "flowOpens", "flowClicks", "trapLink"],
    numbers: ["conversionWindowDays"]
  },
  { key: "retention", switches: [], numbers: erasing },
  { key: "sending", switches: ["preserveSigned", "requireTls"], numbers: [] },
  { key: "people", switches: ["autoCreateAttributes", "keepErased"], numbers: [] },
  {
    key: "limits",
    switches: [],
    numbers: ["contactLimit", "dailySendLimit", "rateLimitPerMinute", "reviewFirst"]
  }
] as const

const route = getRouteApi("/shell/a/$accountId/settings")

const Form = ({ accountId, settings }: { readonly accountId: string; readonly settings: Settings }) => {
  const { common, erasure, settings: texts } = useTexts()
  const format = useFormat()
  const [today] = useState(() => Date.now())
  const { can } = useAccount()
  const { operator } = useSession()
  const before = draftOf(settings)
  const [changed, setChanged] = useState<Partial<Draft>>({})
  const draft: Draft = { ...before, ...changed }
  const patch = patchOf(before, draft)
  const isChanged = Object.keys(patch).length > 0
  const { error, isPending, mutate, reset } = useChange("PATCH /accounts/:accountId/settings", {
    renews: [readRoute]
  })
  const mayWrite = can("settings:write")
  const { setting } = route.useSearch()
  const set = (values: Partial<Draft>) => {
    setChanged({ ...changed, ...values })
    if (error !== null) reset()
  }
  const save = () =>
    mutate(
      { params: { accountId }, body: patch },
      {
        onSuccess: () => {
          setChanged({})
          toast(texts.saved)
        }
      }
    )
  const hintOf = (key: (typeof numbers)[number]): string => {
    const days = Number(draft[key].trim() === "" ? Number.NaN : draft[key])
    const mayBeSaid =
      erasing.some((one) => one === key) && Number.isInteger(days) && days >= 0 && days < 10_000
    if (!mayBeSaid) return texts.hints[key]
    const date = format.moment(new Date(today - days * dayMillis), new Date(today))
    return `${texts.hints[key]} ${days === 0 ? erasure.never : erasure.before(date)}`
  }
  const isShown = error !== null && numbers.some((key) => error.fields[key] !== undefined)
  return (
    <form
      className={styles["form"]}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (isChanged) save()
      }}
    >
      {error !== null && !isShown && <ErrorBanner error={error} />}
      {groups.map(({ key: group, numbers: typed, switches }) => (
        <Section
          key={group}
          title={texts.groups[group]}
          text={group === "limits" && !operator ? texts.limitsText : undefined}
        >
          <Card>
            {switches.map((key) => (
              <Checkbox
                // The key remounts the field, so that it gets the focus if the URL names it while the screen is open.
                key={`${key} ${key === setting}`}
                // oxlint-disable-next-line jsx-a11y/no-autofocus
                autoFocus={key === setting}
                label={texts.names[key]}
                hint={texts.hints[key]}
                checked={draft[key]}
                disabled={!mayWrite}
                onChange={(event) => set({ [key]: event.target.checked })}
              />
            ))}
            {typed.map((key) => (
              <Field key={key} label={texts.names[key]} hint={hintOf(key)} error={error?.fields[key]}>
                <Input
                  key={String(key === setting)}
                  // oxlint-disable-next-line jsx-a11y/no-autofocus
                  autoFocus={key === setting}
                  inputMode="numeric"
                  className={styles["number"]}
                  value={draft[key]}
                  disabled={!mayWrite || (group === "limits" && !operator)}
                  onChange={(event) => set({ [key]: event.target.value })}
                />
              </Field>
            ))}
          </Card>
        </Section>
      ))}
      {isChanged && (
        <div className={styles["bar"]} role="status">
          <span>{texts.unsaved}</span>
          <Button onClick={() => setChanged({})}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {texts.save}
          </Button>
        </div>
      )}
    </form>
  )
}

/** The screen. */
export const AccountSettings = () => {
  const { nav, settings: texts } = useTexts()
  const { can, company, id: accountId, mode } = useAccount()
  const { setting } = route.useSearch()
  const query = useApi(readRoute, { params: { accountId } })
  return (
    <Page isList title={texts.title}>
      <AreaTabs area="settings" />
      <div className={styles["scroll"]}>
        <div className={styles["content"]}>
          <p className={styles["soft"]}>{texts.account(nav[mode])}</p>
          <Usage accountId={accountId} />
          <Loaded query={query}>
            {({ settings }) => (
              <>
                <Form key={accountId} accountId={accountId} settings={settings} />
                <Marketing
                  key={`${accountId} marketing`}
                  accountId={accountId}
                  setting={setting}
                  settings={settings}
                />
              </>
            )}
          </Loaded>
          {can("archive:export") && <Archive accountId={accountId} name={`${company.name} ${mode}`} />}
        </div>
      </div>
    </Page>
  )
}
