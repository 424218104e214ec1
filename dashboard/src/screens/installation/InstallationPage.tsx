/**
 * The frame of the installation's screens: title and navigation.
 *
 * @module
 */
import { type LinkProps, useLocation } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useTexts } from "../../app/reader.tsx"
import { LinkTabs } from "../../parts/page/LinkTabs.tsx"
import { Page } from "../../parts/page/Page.tsx"
import styles from "./Installation.module.css"

type Tabs = Readonly<Record<string, NonNullable<LinkProps["to"]>>>

/** The screens, in groups. A single screen can be its own group. */
const groups = {
  overview: { overview: "/installation" },
  companies: { companies: "/installation/companies" },
  mail: {
    delivery: "/installation/delivery",
    providers: "/installation/providers",
    lanes: "/installation/lanes",
    sources: "/installation/sources",
    standing: "/installation/standing"
  },
  system: {
    queues: "/installation/queues",
    jobs: "/installation/jobs",
    database: "/installation/database",
    logs: "/installation/logs",
    configuration: "/installation/configuration"
  },
  people: {
    users: "/installation/users",
    access: "/installation/access",
    audit: "/installation/audit-log"
  }
} as const satisfies Readonly<Record<string, Tabs>>

/** A screen of the installation. With `bar`, the content is a list that takes the whole height. */
export const InstallationPage = ({
  actions,
  bar,
  children
}: {
  readonly children: ReactNode
  readonly actions?: ReactNode
  readonly bar?: ReactNode
}) => {
  const { installation: texts } = useTexts()
  const path = useLocation({ select: ({ pathname }) => pathname })
  const all = Object.entries<Tabs>(groups).map(([key, tabs]) => {
    const places = Object.values(tabs)
    return { key, tabs, link: { to: places[0]! }, isCurrent: places.some((to) => to === path) }
  })
  const shown = Object.entries(all.find(({ isCurrent }) => isCurrent)?.tabs ?? {})
  const links = (
    <>
      <LinkTabs
        label={texts.title}
        items={all.map((group) => ({
          ...group,
          label: { ...texts.tabs, ...texts.groups }[group.key as keyof typeof groups]
        }))}
      />
      {shown.length > 1 && (
        <LinkTabs
          isWithin
          label={texts.screens}
          items={shown.map(([key, to]) => ({
            key,
            label: texts.tabs[key as keyof typeof texts.tabs],
            link: { to }
          }))}
        />
      )}
    </>
  )
  return (
    <Page isList title={texts.title} {...(actions === undefined ? {} : { actions })}>
      <div>
        {links}
        {bar}
      </div>
      {children}
    </Page>
  )
}

/** The content of a screen that is not a list; it scrolls as a whole. */
export const Scrolled = ({ children }: { readonly children: ReactNode }) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  <div className={styles["scrolled"]} tabIndex={0} role="group" aria-label={useTexts().installation.content}>
    <div className={styles["content"]}>{children}</div>
  </div>
)
