/**
 * The frame of a screen: title, actions and content.
 *
 * @module
 */
import { Link } from "@tanstack/react-router"
import { Fragment, type ReactNode, useEffect } from "react"
import { useTexts } from "../../app/reader.tsx"
import { classes } from "../../lib/classes.ts"
import { numbered } from "../../lib/numbered.ts"
import { type Back, BackContext } from "./back.ts"
import { Icon } from "./Icon.tsx"
import styles from "./Page.module.css"

/** A screen. With `isList`, the content gets the whole height, so that the list scrolls below its header. */
export const Page = ({
  actions,
  back,
  badge,
  children,
  isList = false,
  isNarrow = false,
  text,
  title
}: {
  readonly title: string
  readonly children: ReactNode
  readonly actions?: ReactNode
  readonly badge?: ReactNode
  /** The screen above this one. */
  readonly back?: Back
  readonly text?: ReactNode
  readonly isList?: boolean
  /** For forms and texts, whose lines would otherwise be too long. */
  readonly isNarrow?: boolean
}) => {
  const { product } = useTexts()
  useEffect(() => {
    document.title = `${title} · ${product}`
  }, [product, title])
  return (
    <div className={classes(styles["page"], isList && styles["list"], isNarrow && styles["narrow"])}>
      <header className={styles["head"]}>
        <div className={styles["titles"]}>
          {back !== undefined && (
            <Link {...back.link} activeOptions={{ exact: true }} className={styles["back"]}>
              <Icon name="left" size={14} />
              <bdi>{back.label}</bdi>
            </Link>
          )}
          <div className={styles["line"]}>
            {/* The focus moves here after a navigation. */}
            <h1 className={styles["title"]} dir="auto" title={title} tabIndex={-1}>
              {title}
            </h1>
            {badge}
          </div>
          {text !== undefined && <p className={styles["text"]}>{text}</p>}
        </div>
        {actions !== undefined && <div className={styles["actions"]}>{actions}</div>}
      </header>
      <BackContext value={back ?? null}>{children}</BackContext>
    </div>
  )
}

/** A part of a screen with its own title. */
export const Section = ({
  actions,
  children,
  text,
  title
}: {
  readonly title: string
  readonly children?: ReactNode
  readonly text?: ReactNode
  readonly actions?: ReactNode
}) => (
  <section className={styles["section"]}>
    <div className={styles["sectionHead"]}>
      <div>
        <h2>{title}</h2>
        {text !== undefined && <p className={styles["soft"]}>{text}</p>}
      </div>
      {actions !== undefined && <div className={styles["actions"]}>{actions}</div>}
    </div>
    {children}
  </section>
)

/** A box around related content. */
export const Card = ({
  children,
  isFlush = false
}: {
  readonly children: ReactNode
  readonly isFlush?: boolean
}) => <div className={classes(styles["card"], isFlush && styles["flush"])}>{children}</div>

/** Lets a long address break after punctuation instead of within a word. */
const breakable = (value: string): ReactNode =>
  value.includes(" ")
    ? value
    : numbered(value.split(/(?<=[@/.])(?=\w)/)).map(({ item, place }) => (
        <Fragment key={place}>
          {place > 0 && <wbr />}
          {item}
        </Fragment>
      ))

/** Names and values below each other. */
export const Facts = ({
  facts
}: {
  readonly facts: ReadonlyArray<readonly [name: string, value: ReactNode] | null>
}) => (
  <dl className={styles["facts"]}>
    {facts.map(
      (fact) =>
        fact !== null && (
          <div key={fact[0]}>
            <dt>{fact[0]}</dt>
            <dd>{typeof fact[1] === "string" ? <bdi>{breakable(fact[1])}</bdi> : fact[1]}</dd>
          </div>
        )
    )}
  </dl>
)
