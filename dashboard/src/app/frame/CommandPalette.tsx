/**
 * The command palette: finds screens and actions by name, and anything in the account by name, address or id. It is Base UI's
 * dialog with its combobox inside.
 *
 * @module
 */
import { Combobox } from "@base-ui/react/combobox"
import { Dialog } from "@base-ui/react/dialog"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { matching } from "../../lib/match.ts"
import { marketingNames } from "../../lib/marketing.ts"
import type { IconName } from "../../lib/icons.ts"
import { Icon } from "../../parts/page/Icon.tsx"
import { useMarketingTexts } from "../../texts/marketing/useMarketingTexts.ts"
import { languages } from "../../texts/texts.ts"
import styles from "./CommandPalette.module.css"
import { focusAtOnce } from "./EarlyPalette.tsx"
import { linkOfFound, useFound } from "../found.ts"
import { newPanel } from "../panel.ts"
import { type AreaScreen, areasOf, installationScreen, screensOf } from "./navigation.ts"
import { setLanguage, setTheme, themes, usePreferences } from "../preferences.ts"
import { useTexts } from "../reader.tsx"
import { type ShownAccount, useCompanies, useNavigationAccount, useSession } from "../session.ts"
import { signOut } from "../signOut.ts"

/**
 * The value that keeps the first command highlighted, also if something was typed before the palette was loaded. Base UI declares
 * it only for its autocomplete, which is the same component.
 */
const alwaysHighlight = "always" as unknown as boolean

interface Command {
  readonly id: string
  readonly label: string
  /** The keys that run the command. */
  readonly detail?: string
  /** What kind of thing it is, shown beside its name. */
  readonly about?: string
  readonly icon: IconName
  readonly run: () => void
}

interface Group {
  readonly value: string
  readonly items: ReadonlyArray<Command>
}

const iconsOfFound: Readonly<Record<string, IconName>> = {
  Contact: "user",
  Email: "email",
  Flow: "flow",
  Template: "template",
  Segment: "people",
  Campaign: "campaign",
  Domain: "globe",
  Webhook: "webhook",
  ApiKey: "key",
  Event: "inbox",
  Order: "store",
  Item: "store"
}

/** What the user may add to an account. Each command opens the form for it. */
const useAdditions = (account: ShownAccount | null): ReadonlyArray<Command> => {
  const texts = useTexts()
  const navigate = useNavigate()
  if (account === null) return []
  const { can, canInCompany } = account
  const { commerce, developers, domains, flows, nav, palette, people, settings, templates } = texts
  const form = { shown: newPanel }
  const additions = [
    ["people", people.add, people.title, can("contacts:write"), "/people", form],
    ["people", texts.imports.add, people.title, can("contacts:import"), "/people/imports", form],
    ["people", palette.newSegment, people.title, can("segments:write"), "/people/segments/new", {}],
    ["people", texts.topics.add, people.title, can("topics:write"), "/people/topics", form],
    ["people", texts.fields.add, people.title, can("fields:write"), "/people/fields", form],
    ["block", texts.suppressions.add, nav.suppressions, can("suppressions:write"), "/suppressions", form],
    ["campaign", palette.newCampaign, nav.campaigns, can("campaigns:write"), "/campaigns", form],
    ["flow", flows.blueprints, flows.title, can("flows:write"), "/flows", form],
    ["template", palette.newTemplate, templates.title, can("templates:write"), "/templates/new", {}],
    ["store", texts.stores.connect, commerce.title, can("stores:write"), "/stores", form],
    ["globe", domains.add, domains.title, can("domains:write"), "/domains", form],
    ["key", texts.keys.add, developers.title, can("keys:write"), "/developers", form],
    ["webhook", texts.webhooks.add, developers.title, can("webhooks:write"), "/developers/webhooks", form],
    ["inbox", texts.sendEvent.open, developers.title, can("contacts:write"), "/developers/events", form],
    [
      "people",
      texts.members.invite,
      settings.title,
      canInCompany("members:write"),
      "/settings/members",
      form
    ],
    ["key", texts.tokens.add, settings.title, canInCompany("tokens:write"), "/settings/tokens", form]
  ] as const
  return additions.flatMap(([icon, label, about, isAllowed, path, search]) =>
    isAllowed
      ? [
          {
            id: `add ${path}`,
            icon,
            label,
            about,
            run: () =>
              void navigate({ to: `/a/$accountId${path}`, params: { accountId: account.id }, search })
          }
        ]
      : []
  )
}

/** The commands that the user has on this screen. */
const useCommands = (onHelp: () => void): ReadonlyArray<Group> => {
  const texts = useTexts()
  const account = useNavigationAccount()
  const companies = useCompanies()
  const { operator } = useSession()
  const navigate = useNavigate()
  const { language, theme } = usePreferences()
  const goTo = (accountId: string) => void navigate({ to: "/a/$accountId", params: { accountId } })
  const areas = account === null ? [] : areasOf(account).flat()
  const additions = useAdditions(account)
  const marketing = useMarketingTexts()
  const show = (to: AreaScreen["to"]) => void navigate({ to, params: { accountId: account?.id ?? "" } })
  const screens = areas.map(({ icon, id, key, name, to }): Command => ({
    id,
    icon,
    label: name(texts),
    detail: `G ${key.toUpperCase()}`,
    run: () => show(to)
  }))
  // The screens of each area, except the first one if it has the same name as the area.
  const within = areas.flatMap((area) =>
    (account === null ? [] : screensOf(account, area))
      .filter(({ name, to }) => to !== area.to || name(texts) !== area.name(texts))
      .map(({ name, to }): Command => ({
        id: `screen ${to}`,
        icon: area.icon,
        label: name(texts),
        about: area.name(texts),
        run: () => show(to)
      }))
  )
  const accounts = companies.flatMap(({ id, live, name, sandbox }) =>
    (
      [
        ["live", live],
        ["sandbox", sandbox]
      ] as const
    )
      .filter(([, { accountId }]) => accountId !== account?.id)
      .map(([mode, { accountId }]): Command => ({
        id: `${id} ${mode}`,
        icon: "store",
        label: `${name}: ${texts.nav[mode]}`,
        run: () => goTo(accountId)
      }))
  )
  // The settings of an account, found by name; each command scrolls to its setting.
  const settings =
    account?.can("company:read") !== true
      ? []
      : [
          ...Object.entries(texts.settings.names),
          ...Object.entries(marketingNames).map(([id, name]) => [id, marketing[name]] as const)
        ].map(([id, label]): Command => ({
          id: `setting ${id}`,
          icon: "settings",
          label,
          about: texts.settings.title,
          run: () =>
            void navigate({
              to: "/a/$accountId/settings",
              params: { accountId: account.id },
              search: { setting: id }
            })
        }))
  return [
    {
      value: texts.palette.screens,
      items: [
        ...screens,
        ...(operator
          ? [
              {
                id: installationScreen.id,
                icon: installationScreen.icon,
                label: installationScreen.name(texts),
                detail: `G ${installationScreen.key.toUpperCase()}`,
                run: () => void navigate({ to: installationScreen.to })
              }
            ]
          : []),
        {
          id: "profile",
          icon: "user",
          label: texts.nav.profile,
          run: () => void navigate({ to: "/profile" })
        },
        ...within
      ]
    },
    { value: texts.palette.settings, items: settings },
    {
      value: texts.palette.actions,
      items: [
        ...additions,
        ...accounts,
        ...themes
          .filter((one) => one !== theme)
          .map((one): Command => ({
            id: `theme ${one}`,
            icon: one === "dark" ? "moon" : "sun",
            label: `${texts.nav.theme}: ${texts.nav.themes[one]}`,
            run: () => setTheme(one)
          })),
        ...Object.entries(languages)
          .filter(([one]) => one !== language)
          .map(([one, name]): Command => ({
            id: `language ${one}`,
            icon: "language",
            label: `${texts.nav.language}: ${name}`,
            run: () => setLanguage(one as keyof typeof languages)
          })),
        { id: "help", icon: "info", label: texts.shortcuts.title, detail: "?", run: onHelp },
        { id: "signout", icon: "signout", label: texts.nav.signOut, run: () => void signOut() }
      ]
    }
  ]
}

/** The palette. */
export const CommandPalette = ({
  onClose,
  onHelp,
  typedEarly
}: {
  /** What was typed before the palette was loaded. */
  readonly typedEarly: string
  readonly onClose: () => void
  readonly onHelp: () => void
}) => {
  const texts = useTexts()
  const [typed, setTyped] = useState(typedEarly)
  const account = useNavigationAccount()
  const navigate = useNavigate()
  const { found, isSearching } = useFound(account?.id ?? null, typed)
  const things = found.flatMap((one): ReadonlyArray<Command> => {
    const { detail, id, kind, title } = one
    const link = account === null ? null : linkOfFound(account.id, one)
    if (link === null) return []
    const about = [texts.palette.kinds[kind] ?? kind, ...(detail === null ? [] : [detail])].join(" · ")
    return [
      {
        id: `${kind} ${id}`,
        icon: iconsOfFound[kind] ?? "search",
        label: title === "" ? texts.emails.noSubject : title,
        about,
        run: () => void navigate(link)
      }
    ]
  })
  const groups = [
    ...useCommands(onHelp).map(({ items, value }) => ({
      value,
      // There are many settings, so they appear only if the typed text matches their name.
      items:
        value === texts.palette.settings && typed.trim() === ""
          ? []
          : matching(items, typed, ({ label }) => label)
    })),
    { value: texts.palette.found, items: things }
  ].filter(({ items }) => items.length > 0)
  return (
    <Dialog.Root open onOpenChange={(open) => open || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles["shade"]} />
        <Dialog.Viewport className={styles["viewport"]}>
          <Dialog.Popup className={styles["palette"]} aria-label={texts.palette.title}>
            <Combobox.Root<Command>
              items={groups}
              filter={null}
              inline
              open
              autoHighlight={alwaysHighlight}
              value={null}
              inputValue={typed}
              onInputValueChange={setTyped}
              itemToStringLabel={(item) => item.label}
              onValueChange={(chosen) => {
                if (chosen === null) return
                onClose()
                chosen.run()
              }}
            >
              <div className={styles["field"]}>
                <Icon name="search" />
                <Combobox.Input
                  ref={focusAtOnce}
                  className={styles["input"]}
                  placeholder={texts.palette.placeholder}
                  aria-label={texts.palette.placeholder}
                />
              </div>
              <Combobox.Empty className={styles["empty"]}>
                {isSearching ? texts.palette.searching : texts.palette.empty}
              </Combobox.Empty>
              <Combobox.List className={styles["list"]}>
                {(group: Group) => (
                  <Combobox.Group key={group.value} items={group.items as Array<Command>}>
                    <Combobox.GroupLabel className={styles["label"]}>{group.value}</Combobox.GroupLabel>
                    <Combobox.Collection>
                      {(item: Command) => (
                        <Combobox.Item key={item.id} value={item} className={styles["item"]}>
                          <Icon name={item.icon} />
                          <span>
                            <bdi>{item.label}</bdi>
                          </span>
                          {item.about !== undefined && (
                            <small>
                              <bdi>{item.about}</bdi>
                            </small>
                          )}
                          {item.detail !== undefined && <kbd>{item.detail}</kbd>}
                        </Combobox.Item>
                      )}
                    </Combobox.Collection>
                  </Combobox.Group>
                )}
              </Combobox.List>
            </Combobox.Root>
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
