/**
 * Menus of actions and choices that open from a button.
 *
 * @module
 */
import { Menu as Base } from "@base-ui/react/menu"
import type { ReactElement, ReactNode } from "react"
import { classes } from "../../lib/classes.ts"
import type { IconName } from "../../lib/icons.ts"
import { Icon } from "../page/Icon.tsx"
import styles from "./Menu.module.css"

/** A menu opened by `trigger`, a button. */
export const Menu = ({
  align = "start",
  children,
  side = "bottom",
  startsOpen = false,
  trigger
}: {
  readonly trigger: ReactElement
  readonly children: ReactNode
  readonly align?: "start" | "end"
  readonly side?: "bottom" | "top"
  /** For a menu that is loaded when its button is first used. */
  readonly startsOpen?: boolean
}) => (
  <Base.Root defaultOpen={startsOpen} modal={false}>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner className={styles["positioner"]} align={align} side={side} sideOffset={4}>
        <Base.Popup className={styles["menu"]}>{children}</Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)

/** An action. */
export const MenuItem = ({
  children,
  detail,
  icon,
  isDanger = false,
  onSelect
}: {
  readonly children: ReactNode
  readonly onSelect: () => void
  readonly icon?: IconName
  readonly detail?: ReactNode
  readonly isDanger?: boolean
}) => (
  <Base.Item className={classes(styles["item"], isDanger && styles["danger"])} onClick={onSelect}>
    {icon && <Icon name={icon} />}
    <span>{children}</span>
    {detail !== undefined && <span className={styles["detail"]}>{detail}</span>}
  </Base.Item>
)

/** A single choice. */
export const MenuChoice = ({
  label,
  onChange,
  options,
  value
}: {
  readonly label: string
  readonly value: string
  readonly options: ReadonlyArray<{
    readonly value: string
    readonly label: string
    readonly icon?: IconName
  }>
  readonly onChange: (value: string) => void
}) => (
  <Base.Group>
    <Base.GroupLabel className={styles["label"]}>{label}</Base.GroupLabel>
    <Base.RadioGroup value={value} onValueChange={(next) => onChange(String(next))}>
      {options.map((option) => (
        <Base.RadioItem key={option.value} value={option.value} className={styles["item"]} closeOnClick>
          {option.icon && <Icon name={option.icon} />}
          <span>{option.label}</span>
          <Base.RadioItemIndicator className={styles["mark"]}>
            <Icon name="check" />
          </Base.RadioItemIndicator>
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  </Base.Group>
)

/** A checkable entry. The menu stays open after a click. */
export const MenuCheck = ({
  children,
  isChecked,
  onChange
}: {
  readonly children: ReactNode
  readonly isChecked: boolean
  readonly onChange: (isChecked: boolean) => void
}) => (
  <Base.CheckboxItem
    className={styles["item"]}
    checked={isChecked}
    onCheckedChange={onChange}
    closeOnClick={false}
  >
    <span className={classes(styles["box"], isChecked && styles["checked"])}>
      {isChecked && <Icon name="check" size={12} />}
    </span>
    <span>{children}</span>
  </Base.CheckboxItem>
)

/** A line between groups. */
export const MenuLine = () => <Base.Separator className={styles["line"]} />
