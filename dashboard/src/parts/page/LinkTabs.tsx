/**
 * Links between the screens of one area, styled as tabs.
 *
 * @module
 */
import { Link, type LinkProps } from "@tanstack/react-router"
import { useEffect, useRef } from "react"
import { classes } from "../../lib/classes.ts"
import styles from "./LinkTabs.module.css"
import tabs from "./Tabs.module.css"

/** A tab that links to a screen. */
export interface LinkTab {
  readonly key: string
  readonly label: string
  readonly link: LinkProps
  /** Whether addresses below the tab's own belong to other tabs, so that only an exact match marks this one. */
  readonly isExact?: boolean
  /** Whether the tab is marked, for a tab that stands for several screens. By default, the address decides. */
  readonly isCurrent?: boolean
}

const marked = { className: tabs["selected"] ?? "", "aria-current": "page" } as const

/** The screens of an area. */
export const LinkTabs = ({
  isWithin = false,
  label,
  items
}: {
  readonly label: string
  /** Whether the tabs are below other tabs. */
  readonly isWithin?: boolean
  readonly items: ReadonlyArray<LinkTab>
}) => {
  const nav = useRef<HTMLElement>(null)
  // In a narrow window the tabs scroll, and the current one may be hidden.
  useEffect(() => {
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" })
  }, [])
  return (
    <nav
      ref={nav}
      aria-label={label}
      className={classes(tabs["tabs"], styles["tabs"], isWithin && styles["within"])}
    >
      {items.map(({ isCurrent, isExact = false, key, label: name, link }) => (
        <Link
          key={key}
          {...link}
          {...(isCurrent === true ? { "aria-current": "true" } : {})}
          className={classes(tabs["tab"], isCurrent === true && tabs["selected"])}
          activeOptions={{ exact: isExact || isCurrent !== undefined, includeSearch: false }}
          activeProps={isCurrent === undefined ? marked : {}}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}
