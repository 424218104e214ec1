/**
 * The company's own texts for its hosted pages and confirmation emails, by language.
 *
 * @module
 */
import { getRouteApi } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import type { ValueOf } from "../../../api/call.ts"
import { useApi, useChange } from "../../../api/queries.ts"
import { AreaTabs } from "../../../app/AreaTabs.tsx"
import { useFormat, useReader, useTexts } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { Field, Fields, FormActions, Input, Select, TextArea } from "../../../parts/form/Field.tsx"
import { toast } from "../../../parts/overlay/toasts.ts"
import { Banner, ErrorBanner } from "../../../parts/page/Banner.tsx"
import { Loaded } from "../../../parts/page/Loaded.tsx"
import { Card, Page, Section } from "../../../parts/page/Page.tsx"
import { usePagesTexts } from "../../../texts/pages/usePagesTexts.ts"
import { LeaveGuard } from "../../editors/LeaveGuard.tsx"
import styles from "../Settings.module.css"

const { useNavigate, useSearch } = getRouteApi("/shell/a/$accountId/settings/texts")

const readRoute = "GET /companies/:companyId/page-texts"

type Languages = ValueOf<typeof readRoute>["items"]
type OneLanguage = Languages[number]
type Text = OneLanguage["texts"][number]

/** The languages on offer, besides those that have texts already. */
const offered = "ar bg cs da el et fa fi he hi hr hu id ko lt lv nb ro ru sk sl sr sv th uk ur vi zh".split(
  " "
)

/** Texts longer than this get a field of several lines. */
const lineLength = 60

const groupOf = ({ key }: Text): string => key.split(".")[0] ?? key

const Group = ({
  draft,
  errors,
  isDisabled,
  name,
  onChange,
  texts
}: {
  readonly name: string
  readonly texts: ReadonlyArray<Text>
  readonly draft: Readonly<Record<string, string>>
  readonly errors: Readonly<Record<string, string>>
  readonly isDisabled: boolean
  readonly onChange: (key: string, value: string) => void
}) => {
  const words = usePagesTexts()
  return (
    <Section title={words.groups[name] ?? name}>
      <Card>
        <Fields>
          {texts.map(({ key, text }) => {
            const control = {
              value: draft[key] ?? "",
              disabled: isDisabled,
              autoComplete: "off",
              onChange: ({ target }: { readonly target: { readonly value: string } }) =>
                onChange(key, target.value.replaceAll("\n", " "))
            }
            return (
              <Field
                key={key}
                label={words.parts[key] ?? words.parts[key.split(".")[1] ?? key] ?? key}
                hint={<span dir="auto">{text}</span>}
                error={errors[`texts.${key}`]}
              >
                {text.length > lineLength ? <TextArea {...control} rows={2} /> : <Input {...control} />}
              </Field>
            )
          })}
        </Fields>
      </Card>
    </Section>
  )
}

const LanguageForm = ({ of }: { readonly of: OneLanguage }) => {
  const { common } = useTexts()
  const words = usePagesTexts()
  const { canInCompany, company } = useAccount()
  const { error, isPending, mutate } = useChange("PUT /companies/:companyId/page-texts/:language", {
    renews: [readRoute]
  })
  const stored = Object.fromEntries(of.texts.map(({ key, own }) => [key, own ?? ""]))
  const [changed, setChanged] = useState<Readonly<Record<string, string>>>({})
  const draft: Readonly<Record<string, string>> = { ...stored, ...changed }
  const isChanged = Object.keys(stored).some((key) => stored[key] !== draft[key])
  const hasOwn = of.texts.some(({ own }) => own !== null)
  const mayWrite = canInCompany("brand:write")
  const save = (texts: Readonly<Record<string, string>>, message: string) =>
    mutate(
      { params: { companyId: company.id, language: of.language }, body: { texts } },
      {
        onSuccess: () => {
          setChanged({})
          toast(message)
        }
      }
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save(draft, words.saved)
  }
  const groups = [...Map.groupBy(of.texts, groupOf)].toSorted(
    ([one], [other]) => Object.keys(words.groups).indexOf(one) - Object.keys(words.groups).indexOf(other)
  )
  return (
    <form className={styles["form"]} onSubmit={submit} noValidate>
      {!of.isBuiltIn && <Banner tone="neutral">{words.othersHint}</Banner>}
      {error !== null && Object.keys(error.fields).length === 0 && <ErrorBanner error={error} />}
      {groups.map(([name, texts]) => (
        <Group
          key={name}
          name={name}
          texts={texts}
          draft={draft}
          errors={error?.fields ?? {}}
          isDisabled={!mayWrite}
          onChange={(key, value) => setChanged({ ...changed, [key]: value })}
        />
      ))}
      {mayWrite && (
        <FormActions>
          {hasOwn && (
            <Button tone="plain" onClick={() => save({}, words.wasReset)}>
              {words.reset}
            </Button>
          )}
          <Button type="submit" tone="primary" isBusy={isPending} disabled={!isChanged}>
            {common.save}
          </Button>
        </FormActions>
      )}
      <LeaveGuard isChanged={() => isChanged} />
    </form>
  )
}

/** A language without its own texts. It takes them from the first one, which is English. */
const emptyOf = (items: Languages, language: string): OneLanguage => ({
  language,
  isBuiltIn: false,
  texts: items[0]?.texts.map((text) => ({ ...text, own: null })) ?? []
})

const Editor = ({ items }: { readonly items: Languages }) => {
  const words = usePagesTexts()
  const format = useFormat()
  const { language: reader } = useReader()
  const navigate = useNavigate()
  const chosen = useSearch().language ?? reader
  const names = new Intl.DisplayNames([reader], { type: "language" })
  const known = new Set(items.map(({ language }) => language))
  const option = (language: string, group: string) => {
    const count = items
      .find((one) => one.language === language)
      ?.texts.filter(({ own }) => own !== null).length
    const name = names.of(language) ?? language
    return {
      value: language,
      group,
      label: count === undefined || count === 0 ? name : `${name} · ${words.changed(format.number(count))}`
    }
  }
  return (
    <>
      <Field label={words.language}>
        <Select
          value={chosen}
          onChange={({ target }) => void navigate({ search: { language: target.value } })}
          options={[
            ...items.map(({ isBuiltIn, language }) => option(language, isBuiltIn ? words.ours : words.own)),
            ...offered
              .concat(chosen)
              .filter((one, at, all) => !known.has(one) && all.indexOf(one) === at)
              .map((language) => option(language, words.others))
          ]}
        />
      </Field>
      <LanguageForm
        key={chosen}
        of={items.find(({ language }) => language === chosen) ?? emptyOf(items, chosen)}
      />
    </>
  )
}

/** The screen. */
export const PageTexts = () => {
  const { settings } = useTexts()
  const words = usePagesTexts()
  const { company } = useAccount()
  const query = useApi(readRoute, { params: { companyId: company.id } })
  return (
    <Page isList title={settings.title}>
      <AreaTabs area="settings" />
      <div className={styles["scroll"]}>
        <div className={styles["content"]}>
          <Section title={words.title} text={words.text} />
          <Loaded query={query}>{({ items }) => <Editor items={items} />}</Loaded>
        </div>
      </div>
    </Page>
  )
}
