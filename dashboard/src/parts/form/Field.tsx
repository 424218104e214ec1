/**
 * Form fields: a label, a hint and an error around one control, linked by ids.
 *
 * @module
 */
import {
  createContext,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useContext,
  useId,
  useMemo,
  useState
} from "react"
import { useTexts } from "../../app/reader.tsx"
import { classes } from "../../lib/classes.ts"
import { Icon } from "../page/Icon.tsx"
import styles from "./Field.module.css"

interface Ids {
  readonly id: string
  readonly describedBy: string | undefined
  readonly isInvalid: boolean
}

const FieldContext = createContext<Ids | null>(null)

/** The ids and ARIA attributes for the control within a field. */
const useField = () => {
  const ids = useContext(FieldContext)
  return ids === null
    ? {}
    : {
        id: ids.id,
        "aria-describedby": ids.describedBy,
        "aria-invalid": ids.isInvalid || undefined
      }
}

/** A labelled control. */
export const Field = ({
  children,
  error = null,
  hint,
  isOptional = false,
  label
}: {
  readonly label: ReactNode
  readonly children: ReactNode
  readonly hint?: ReactNode
  /** The error in the value, in one sentence. */
  readonly error?: string | null | undefined
  readonly isOptional?: boolean
}) => {
  const id = useId()
  const texts = useTexts()
  const describedBy =
    error !== null && error !== undefined ? `${id}-error` : hint === undefined ? undefined : `${id}-hint`
  const isInvalid = error !== null && error !== undefined
  const ids = useMemo(() => ({ id, describedBy, isInvalid }), [describedBy, id, isInvalid])
  return (
    <div className={styles["field"]}>
      <label className={styles["label"]} htmlFor={id}>
        <bdi>{label}</bdi>
        {isOptional && <span className={styles["optional"]}>{texts.common.optional}</span>}
      </label>
      <FieldContext value={ids}>{children}</FieldContext>
      {error !== null && error !== undefined ? (
        <p className={styles["error"]} id={`${id}-error`} role="alert">
          {error}
        </p>
      ) : (
        hint !== undefined && (
          <p className={styles["hint"]} id={`${id}-hint`}>
            {hint}
          </p>
        )
      )}
    </div>
  )
}

type InputProps = InputHTMLAttributes<HTMLInputElement> & { readonly ref?: Ref<HTMLInputElement> }

/** One line of text. */
export const Input = ({ className, type = "text", ...rest }: InputProps) => (
  <input
    spellCheck={false}
    {...useField()}
    {...rest}
    type={type}
    dir={rest.dir ?? "auto"}
    className={classes(styles["control"], className)}
  />
)

/** A password, with a button that shows it. */
export const PasswordInput = (props: Omit<InputProps, "type">) => {
  const texts = useTexts()
  const [isShown, setShown] = useState(false)
  return (
    <div className={styles["withEnd"]}>
      <Input {...props} type={isShown ? "text" : "password"} autoCapitalize="off" autoCorrect="off" />
      <button
        type="button"
        className={styles["end"]}
        aria-pressed={isShown}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? texts.common.hide : texts.common.show}
      </button>
    </div>
  )
}

/** Several lines of text. */
export const TextArea = ({
  className,
  rows = 4,
  ...rest
}: TextareaHTMLAttributes<HTMLTextAreaElement> & { readonly ref?: Ref<HTMLTextAreaElement> }) => (
  <textarea
    {...useField()}
    {...rest}
    rows={rows}
    dir="auto"
    className={classes(styles["control"], styles["area"], className)}
  />
)

/** An option of a select field. */
export interface Option {
  readonly value: string
  readonly label: string
  /** The name of the option's group. Options of a group must be adjacent. */
  readonly group?: string
}

const toOption = ({ label, value }: Option) => (
  <option key={value} value={value}>
    {label}
  </option>
)

/** A select field. It uses the browser's own control, which works well on every device. */
export const Select = ({
  className,
  options,
  ...rest
}: SelectHTMLAttributes<HTMLSelectElement> & { readonly options: ReadonlyArray<Option> }) => (
  <div className={styles["select"]}>
    <select {...useField()} {...rest} className={classes(styles["control"], className)}>
      {[...Map.groupBy(options, ({ group }) => group)].map(([group, grouped]) =>
        group === undefined ? (
          grouped.map(toOption)
        ) : (
          <optgroup key={group} label={group}>
            {grouped.map(toOption)}
          </optgroup>
        )
      )}
    </select>
    <Icon name="updown" size={14} />
  </div>
)

interface TickProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "type"> {
  readonly label: ReactNode
  readonly hint?: ReactNode
}

const Tick = ({ hint, kind, label, ...rest }: TickProps & { readonly kind: "checkbox" | "switch" }) => {
  const id = useId()
  return (
    <div className={styles["tick"]}>
      <input
        {...rest}
        id={id}
        type="checkbox"
        role={kind === "switch" ? "switch" : undefined}
        className={styles[kind]}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <p className={styles["hint"]} id={`${id}-hint`}>
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}

/** A checkbox. Its value applies when the form is saved. */
export const Checkbox = (props: TickProps) => <Tick kind="checkbox" {...props} />

/** A switch. Its value applies at once. */
export const Switch = (props: TickProps) => <Tick kind="switch" {...props} />

/** The fields of a form in one column. */
export const Fields = ({ children }: { readonly children: ReactNode }) => (
  <div className={styles["fields"]}>{children}</div>
)

/** Short fields that belong together, side by side if there is room. */
export const Beside = ({ children }: { readonly children: ReactNode }) => (
  <div className={styles["beside"]}>{children}</div>
)

/** The buttons of a form. */
export const FormActions = ({ children }: { readonly children: ReactNode }) => (
  <div className={styles["actions"]}>{children}</div>
)
