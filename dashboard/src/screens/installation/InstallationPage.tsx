/**
 * The frame of the installation's screens: its title and the links between them.
 *
 * @module
 */
import type { LinkProps } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useTexts } from "../../app/reader.tsx"
import { LinkTabs } from "../../parts/page/LinkTabs.tsx"
import { Page } from "../../parts/page/Page.tsx"
import styles from "./Installation.module.css"

const tabs = {
  overview: "/installation",
  companies: "/installation/companies",
  delivery: "/installation/delivery",
  providers: "/installation/providers",
  lanes: "/installation/lanes",
  sources: "/installation/sources",
  standing: "/installation/standing",
  queues: "/installation/queues",
  jobs: "/installation/jobs",
  database: "/installation/database",
  logs: "/installation/logs",
  users: "/installation/users",
  access: "/installation/access",
  configuration: "/installation/configuration"
} as const satisfies Readonly<Record<string, NonNullable<LinkProps["to"]>>>

/** A screen of the installation. `bar` stands above a list, whose content then has the whole height. */
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
  const links = (
    <LinkTabs
      label={texts.title}
      items={Object.entries(tabs).map(([key, to]) => ({
        key,
        label: texts.tabs[key as keyof typeof tabs],
        link: { to },
        isExact: key === "overview"
      }))}
    />
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

/** The content of a screen that is no list: it scrolls as a whole. */
export const Scrolled = ({ children }: { readonly children: ReactNode }) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  <div className={styles["scrolled"]} tabIndex={0} role="group" aria-label={useTexts().installation.content}>
    <div className={styles["content"]}>{children}</div>
  </div>
)
