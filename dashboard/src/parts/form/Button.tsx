/**
 * Buttons, and links that look like them.
 *
 * @module
 */
import { createLink } from "@tanstack/react-router"
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, Ref } from "react"
import { classes } from "../../lib/classes.ts"
import type { IconName } from "../../lib/icons.ts"
import { Icon } from "../page/Icon.tsx"
import styles from "./Button.module.css"

/** How prominent a button is. A screen has at most one `primary` button. */
export type ButtonTone = "primary" | "plain" | "quiet" | "danger"

interface Look {
  readonly tone?: ButtonTone
  readonly icon?: IconName
  /** An icon after the label, such as an arrow. */
  readonly iconAfter?: IconName
  readonly isSmall?: boolean
}

const classOf = (tone: ButtonTone, isSmall: boolean, isIcon: boolean, more: string | undefined): string =>
  classes(styles["button"], styles[tone], isSmall && styles["small"], isIcon && styles["icon"], more)

/** Properties of a button. */
export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement>, Look {
  /** Whether the button's action is still running. The button shows this and ignores further clicks. */
  readonly isBusy?: boolean
  readonly ref?: Ref<HTMLButtonElement>
}

/** A button. */
export const Button = ({
  children,
  className,
  icon,
  iconAfter,
  isBusy = false,
  isSmall = false,
  onClick,
  tone = "plain",
  type = "button",
  ...rest
}: ButtonProps) => (
  <button
    {...rest}
    type={type}
    className={classOf(tone, isSmall, children === undefined, className)}
    aria-busy={isBusy || undefined}
    // With the attribute `disabled`, the button would lose the focus.
    aria-disabled={isBusy || undefined}
    onClick={isBusy ? (event) => event.preventDefault() : onClick}
  >
    {isBusy ? <span className={styles["spinner"]} aria-hidden="true" /> : icon && <Icon name={icon} />}
    {children}
    {iconAfter && <Icon name={iconAfter} />}
  </button>
)

/** A button with only an icon. Its label is for assistive technology. */
export const IconButton = ({
  label,
  ...rest
}: Omit<ButtonProps, "children"> & { readonly label: string }) => (
  <Button tone="quiet" {...rest} aria-label={label} title={label} />
)

type AnchorProps = AnchorHTMLAttributes<HTMLAnchorElement> & Look & { readonly ref?: Ref<HTMLAnchorElement> }

/** A link to another origin or a file, styled as a button. */
export const ButtonAnchor = ({
  children,
  className,
  icon,
  iconAfter,
  isSmall = false,
  tone = "plain",
  ...rest
}: AnchorProps) => (
  <a {...rest} className={classOf(tone, isSmall, children === undefined, className)}>
    {icon && <Icon name={icon} />}
    {children}
    {iconAfter && <Icon name={iconAfter} />}
  </a>
)

/** A link to a screen, styled as a button. */
export const ButtonLink = createLink(ButtonAnchor)
