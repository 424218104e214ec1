/**
 * The company: its name, its requirements for members, its brand, its identity providers, and its deletion.
 *
 * @module
 */
import { type FormEvent, useEffect, useRef, useState } from "react"
import { call, type InputOf, type ValueOf } from "../../api/call.ts"
import { useApi, useExtra, useChange } from "../../api/queries.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Checkbox, Field, Fields, FormActions, Input, TextArea } from "../../parts/form/Field.tsx"
import { ConfirmDialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { useAction } from "../../parts/overlay/useAction.ts"
import { Banner, ErrorBanner } from "../../parts/page/Banner.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Card, Page, Section } from "../../parts/page/Page.tsx"
import { ImageUpload, type UploadedImage } from "../editors/ImageUpload.tsx"
import { IdentityProviders } from "./IdentityProviders.tsx"
import styles from "./Settings.module.css"

const readRoute = "GET /companies/:companyId"

const brandRoute = "GET /companies/:companyId/brand"

type Details = ValueOf<typeof readRoute>
type Patch = InputOf<"PATCH /companies/:companyId">["body"] & {}

/** How long a deleted company can be restored, in milliseconds. */
const restorableMillis = 30 * 86_400_000

/** The routes that are read again after a change. */
const renews = [readRoute, "GET /companies", "GET /session"] as const

const General = ({ company }: { readonly company: Details }) => {
  const { common, company: texts } = useTexts()
  const { canInCompany } = useAccount()
  const [changed, setChanged] = useState<
    Partial<Record<"name" | "auditDays", string>> & { factors?: boolean }
  >({})
  const { error, isPending, mutate } = useChange("PATCH /companies/:companyId", { renews })
  const mayWrite = canInCompany("company:write")
  const name = changed.name ?? company.name
  const factors = changed.factors ?? company.requireTwoFactors
  const auditDays = changed.auditDays ?? String(company.auditRetentionDays)
  const days = Number(auditDays.trim() === "" ? Number.NaN : auditDays)
  const patch: Patch = {
    ...(name.trim() === company.name ? {} : { name: name.trim() }),
    ...(factors === company.requireTwoFactors ? {} : { requireTwoFactors: factors }),
    ...(days === company.auditRetentionDays ? {} : { auditRetentionDays: days })
  }
  const save = (event: FormEvent) => {
    event.preventDefault()
    mutate(
      { params: { companyId: company.id }, body: patch },
      {
        onSuccess: () => {
          setChanged({})
          toast(texts.saved)
        }
      }
    )
  }
  const fields = error?.fields ?? {}
  const isShown = fields["name"] !== undefined || fields["auditRetentionDays"] !== undefined
  return (
    <Section title={texts.general}>
      <form onSubmit={save} noValidate>
        <Card>
          {error !== null && !isShown && <ErrorBanner error={error} />}
          <Fields>
            <Field label={texts.name} error={fields["name"]}>
              <Input
                value={name}
                disabled={!mayWrite}
                autoComplete="organization"
                onChange={(event) => setChanged({ ...changed, name: event.target.value })}
              />
            </Field>
            <Checkbox
              label={texts.factors}
              hint={texts.factorsHint}
              checked={factors}
              disabled={!mayWrite}
              onChange={(event) => setChanged({ ...changed, factors: event.target.checked })}
            />
            <Field label={texts.auditDays} hint={texts.auditDaysHint} error={fields["auditRetentionDays"]}>
              <Input
                inputMode="numeric"
                className={styles["number"]}
                value={auditDays}
                disabled={!mayWrite}
                onChange={(event) => setChanged({ ...changed, auditDays: event.target.value })}
              />
            </Field>
          </Fields>
          {mayWrite && (
            <FormActions>
              <Button type="submit" isBusy={isPending} disabled={Object.keys(patch).length === 0}>
                {common.save}
              </Button>
            </FormActions>
          )}
        </Card>
      </form>
    </Section>
  )
}

const colours = ["accent", "background", "text"] as const

const Brand = ({ company }: { readonly company: Details }) => {
  const { common, company: texts } = useTexts()
  const { canInCompany } = useAccount()
  const { brand } = company
  const before: Readonly<Record<string, string>> = {
    name: brand.name ?? "",
    accent: brand.colors.accent ?? "",
    background: brand.colors.background ?? "",
    text: brand.colors.text ?? "",
    postalAddress: brand.postalAddress ?? "",
    footer: brand.footer ?? ""
  }
  const [changed, setChanged] = useState<Readonly<Record<string, string>>>({})
  const [logo, setLogo] = useState<Pick<UploadedImage, "id" | "url"> | null>()
  const stored = useExtra(brandRoute, { params: { companyId: company.id } })
  const draft = { ...before, ...changed }
  const { error, isPending, mutate } = useChange("PUT /companies/:companyId/brand", {
    renews: [readRoute, brandRoute]
  })
  const mayWrite = canInCompany("brand:write")
  const isChanged = logo !== undefined || Object.keys(before).some((key) => before[key] !== draft[key])
  const logoUrl = logo === undefined ? (stored?.logoUrl ?? null) : (logo?.url ?? null)
  const given = (key: string): string | null =>
    (draft[key] ?? "").trim() === "" ? null : (draft[key] ?? "").trim()
  const save = (event: FormEvent) => {
    event.preventDefault()
    mutate(
      {
        params: { companyId: company.id },
        body: {
          name: given("name"),
          // A field that is left out would be reset to null.
          logo: logo === undefined ? brand.logo : (logo?.id ?? null),
          colors: { accent: given("accent"), background: given("background"), text: given("text") },
          postalAddress: given("postalAddress"),
          footer: given("footer")
        }
      },
      {
        onSuccess: () => {
          setChanged({})
          setLogo(undefined)
          toast(texts.brandSaved)
        }
      }
    )
  }
  const errorOf = (key: string) => error?.fields[key] ?? error?.fields[`colors.${key}`]
  const isShown = Object.keys(before).some((key) => errorOf(key) !== undefined)
  const bind = (key: string) => ({
    value: draft[key] ?? "",
    disabled: !mayWrite,
    onChange: (event: { readonly target: { readonly value: string } }) =>
      setChanged({ ...changed, [key]: event.target.value })
  })
  const names = { accent: texts.accent, background: texts.background, text: texts.textColour }
  return (
    <Section title={texts.brand} text={texts.brandText}>
      <form onSubmit={save} noValidate>
        <Card>
          {error !== null && !isShown && <ErrorBanner error={error} />}
          <Fields>
            <Field label={texts.brandName} error={errorOf("name")}>
              <Input {...bind("name")} autoComplete="off" />
            </Field>
            <div className={styles["logo"]}>
              <span className={styles["logoName"]}>{texts.logo}</span>
              {logoUrl === null ? (
                <span className={styles["soft"]}>{texts.noLogo}</span>
              ) : (
                <img src={new URL(logoUrl).pathname} alt={texts.logo} />
              )}
              {mayWrite && (
                <div className={styles["logoActions"]}>
                  <ImageUpload label={texts.chooseLogo} busyLabel={texts.uploading} onUploaded={setLogo} />
                  {logoUrl !== null && (
                    <Button tone="plain" onClick={() => setLogo(null)}>
                      {texts.removeLogo}
                    </Button>
                  )}
                </div>
              )}
            </div>
            <div className={styles["colours"]}>
              {colours.map((key) => (
                <Field key={key} label={names[key]} hint={texts.colourHint} error={errorOf(key)}>
                  <div className={styles["colour"]}>
                    <input
                      type="color"
                      aria-label={`${texts.choose}: ${names[key]}`}
                      disabled={!mayWrite}
                      value={/^#[0-9a-f]{6}$/i.test(draft[key] ?? "") ? draft[key] : "#ffffff"}
                      onChange={(event) => setChanged({ ...changed, [key]: event.target.value })}
                    />
                    <Input {...bind(key)} autoComplete="off" dir="ltr" />
                  </div>
                </Field>
              ))}
            </div>
            <Field label={texts.address} error={errorOf("postalAddress")}>
              <TextArea {...bind("postalAddress")} rows={3} />
            </Field>
            <Field label={texts.footer} error={errorOf("footer")}>
              <TextArea {...bind("footer")} rows={3} />
            </Field>
          </Fields>
          {mayWrite && (
            <FormActions>
              <Button type="submit" isBusy={isPending} disabled={!isChanged}>
                {common.save}
              </Button>
            </FormActions>
          )}
        </Card>
      </form>
    </Section>
  )
}

const DeleteDialog = ({ company, onClose }: { readonly company: Details; readonly onClose: () => void }) => {
  const { company: texts } = useTexts()
  const format = useFormat()
  const { isBusy, run } = useAction(renews)
  const { live, sandbox } = company
  const inLive = useExtra("GET /accounts/:accountId/usage", { params: live })?.contacts
  const inSandbox = useExtra("GET /accounts/:accountId/usage", { params: sandbox })?.contacts
  const liveKeys = useExtra("GET /accounts/:accountId/api-keys", { params: live })
  const sandboxKeys = useExtra("GET /accounts/:accountId/api-keys", { params: sandbox })
  const keys = [...(liveKeys ?? []), ...(sandboxKeys ?? [])].filter(
    ({ revokedAt }) => revokedAt === null
  ).length
  const isCounted = inLive !== undefined && inSandbox !== undefined && liveKeys && sandboxKeys
  const remove = async () => {
    const params = { companyId: company.id }
    if (await run(() => call("DELETE /companies/:companyId", { params }), texts.removed(company.name)))
      onClose()
  }
  return (
    <ConfirmDialog
      isOpen
      isBusy={isBusy}
      onClose={onClose}
      title={texts.removeTitle(company.name)}
      text={
        isCounted
          ? texts.removeSentence(
              format.number(inLive),
              inLive,
              format.number(inSandbox),
              format.number(keys),
              keys
            )
          : texts.removeText
      }
      action={texts.remove}
      name={company.name}
      onConfirm={() => void remove()}
    />
  )
}

const Danger = ({ company }: { readonly company: Details }) => {
  const { company: texts } = useTexts()
  const [isOpen, setOpen] = useState(false)
  return (
    <Section
      title={texts.remove}
      text={texts.removeText}
      actions={
        <Button tone="danger" onClick={() => setOpen(true)}>
          {texts.remove}
        </Button>
      }
    >
      {isOpen && <DeleteDialog company={company} onClose={() => setOpen(false)} />}
    </Section>
  )
}

const Deleted = ({ at, companyId }: { readonly at: string; readonly companyId: string }) => {
  const { company: texts } = useTexts()
  const format = useFormat()
  const { canInCompany } = useAccount()
  const { isBusy, run } = useAction(renews)
  const until = new Date(Date.parse(at) + restorableMillis)
  const place = useRef<HTMLDivElement>(null)
  // The button is at the end of the page, far from the message, so the view scrolls there after a deletion.
  useEffect(() => {
    place.current?.scrollIntoView({ block: "nearest" })
  }, [])
  const restore = () =>
    void run(() => call("POST /companies/:companyId/restore", { params: { companyId } }), texts.restored)
  return (
    <div ref={place}>
      <Banner
        tone="bad"
        action={
          canInCompany("company:delete") && (
            <Button isBusy={isBusy} onClick={restore}>
              {texts.restore}
            </Button>
          )
        }
      >
        {texts.deleted(format.exact(until))}
      </Banner>
    </div>
  )
}

/** The screen. */
export const CompanySettings = () => {
  const { settings } = useTexts()
  const { canInCompany, company } = useAccount()
  const query = useApi(readRoute, { params: { companyId: company.id } })
  return (
    <Page isList title={settings.title}>
      <AreaTabs area="settings" />
      <div className={styles["scroll"]}>
        <div className={styles["content"]}>
          <Loaded query={query}>
            {(details) => (
              <div className={styles["form"]} key={details.id}>
                {details.deletedAt !== null && <Deleted at={details.deletedAt} companyId={details.id} />}
                <General company={details} />
                <Brand company={details} />
                {canInCompany("members:write") && <IdentityProviders companyId={details.id} />}
                {details.deletedAt === null && canInCompany("company:delete") && <Danger company={details} />}
              </div>
            )}
          </Loaded>
        </div>
      </div>
    </Page>
  )
}
