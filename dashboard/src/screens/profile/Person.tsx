/**
 * Name, language and time zone of the user.
 *
 * @module
 */
import { optionsOf } from "../../lib/options.ts"
import { type FormEvent, useState } from "react"
import { useChange } from "../../api/queries.ts"
import { setLanguage } from "../../app/preferences.ts"
import { useTexts } from "../../app/reader.tsx"
import { useSession } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Fields, FormActions, Input, Select } from "../../parts/form/Field.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { languageOf, languages } from "../../texts/texts.ts"

const zones = Intl.supportedValuesOf("timeZone")

/** The form. */
export const Person = () => {
  const { common, profile: texts } = useTexts()
  const { user } = useSession()
  const [name, setName] = useState(user.name ?? "")
  const [language, setLanguageField] = useState(user.language ?? "")
  const [zone, setZone] = useState(user.timeZone ?? "")
  const { error, isPending, mutate } = useChange("PATCH /me", { renews: ["GET /session"] })
  const isChanged =
    name !== (user.name ?? "") || language !== (user.language ?? "") || zone !== (user.timeZone ?? "")
  const save = (event: FormEvent) => {
    event.preventDefault()
    mutate(
      {
        body: {
          ...(name.trim() === (user.name ?? "") ? {} : { name: name.trim() }),
          language: language === "" ? null : language,
          timeZone: zone === "" ? null : zone
        }
      },
      {
        onSuccess: () => {
          const chosen = languageOf(language)
          if (chosen !== null) setLanguage(chosen)
          toast(common.saved)
        }
      }
    )
  }
  const fields = error?.fields ?? {}
  const browserZone = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const known = zone === "" || zones.includes(zone) ? zones : [zone, ...zones]
  return (
    <form onSubmit={save} noValidate>
      <Fields>
        {error !== null && Object.keys(fields).length === 0 && <ErrorBanner error={error} />}
        <Field label={texts.name} error={fields["name"]}>
          <Input value={name} autoComplete="name" onChange={(event) => setName(event.target.value)} />
        </Field>
        <Field label={texts.email} hint={texts.emailHint}>
          <Input value={user.email} readOnly />
        </Field>
        <Field label={texts.language} error={fields["language"]}>
          <Select
            value={languageOf(language) ?? ""}
            onChange={(event) => setLanguageField(event.target.value)}
            options={[{ value: "", label: texts.browser(navigator.language) }, ...optionsOf(languages)]}
          />
        </Field>
        <Field label={texts.timeZone} hint={texts.timeZoneHint} error={fields["timeZone"]}>
          <Select
            value={zone}
            onChange={(event) => setZone(event.target.value)}
            options={[
              { value: "", label: texts.browser(browserZone) },
              ...known.map((value) => ({ value, label: value.replaceAll("_", " ") }))
            ]}
          />
        </Field>
        <FormActions>
          <Button type="submit" tone="primary" isBusy={isPending} disabled={!isChanged}>
            {common.save}
          </Button>
        </FormActions>
      </Fields>
    </form>
  )
}
