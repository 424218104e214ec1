/**
 * Links between the screens of one area, in the looks of tabs.
 *
 * @module
 */
import { Link, type LinkProps } from "@tanstack/react-router"
import { useEffect, useRef } from "react"
import { classes } from "../../lib/classes.ts"
import styles from "./LinkTabs.module.css"
import tabs from "./Tabs.module.css"

/** A screen of an area. */
export interface LinkTab {
  readonly key: string
  readonly label: string
  readonly link: LinkProps
  /** Whether screens below it are other tabs; only its own address is marked then. */
  readonly isExact?: boolean
  /** Whether it is marked, for one that stands for several screens; by the address unless given. */
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
  /** Whether they are the screens of a tab above them. */
  readonly isWithin?: boolean
  readonly items: ReadonlyArray<LinkTab>
}) => {
  const nav = useRef<HTMLElement>(null)
  // In a narrow window the links scroll, and the current one may be out of sight.
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
          activeOptions={{ exact: isExact, includeSearch: false }}
          activeProps={isCurrent === undefined ? marked : {}}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}
