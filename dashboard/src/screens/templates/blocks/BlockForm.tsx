/**
 * The fields of one block.
 *
 * @module
 */
import { optionsOf } from "../../../lib/options.ts"
import { useId, useRef } from "react"
import { useExtra } from "../../../api/queries.ts"
import { useAccount } from "../../../app/session.ts"
import type { Block } from "../../../lib/blocks.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { Field, Fields, Input, Select, TextArea } from "../../../parts/form/Field.tsx"
import { Menu, MenuItem } from "../../../parts/overlay/Menu.tsx"
import { Row } from "../../../parts/page/Columns.tsx"
import { ImageUpload } from "../../editors/ImageUpload.tsx"
import { useDebounced } from "../../editors/useDebounced.ts"
import { useEditorTexts } from "../../../texts/editors/useEditorTexts.ts"
import styles from "./Composer.module.css"

/** How long after the last keystroke items are searched, in milliseconds. */
const restMillis = 250

/** The greatest width of an image in an email, in pixels. */
const maxWidth = 600

interface FormProps {
  readonly block: Block
  /** `run` names the field typed into, so that successive letters are undone together. */
  readonly onChange: (block: Block, run: string | null) => void
  /** The service's error for a field of the block. */
  readonly errorOf: (field: string) => string | undefined
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** A single-line field. If it is optional, an empty value is null. */
const Line = ({
  block,
  errorOf,
  isOptional = false,
  name,
  onChange
}: FormProps & { readonly name: string; readonly isOptional?: boolean }) => {
  const { blocks: texts } = useEditorTexts()
  return (
    <Field label={texts.fields[name] ?? name} isOptional={isOptional} error={errorOf(name)}>
      <Input
        value={textOf(block[name])}
        autoComplete="off"
        onChange={({ target: { value } }) =>
          onChange({ ...block, [name]: isOptional && value === "" && name !== "alt" ? null : value }, name)
        }
      />
    </Field>
  )
}

/** The contact fields that the text can insert. */
const personNames = ["firstName", "lastName", "email", "city"] as const

const Lines = ({ block, errorOf, onChange }: FormProps) => {
  const { blocks: texts, segment } = useEditorTexts()
  const area = useRef<HTMLTextAreaElement>(null)
  const text = textOf(block["text"])
  /** Encloses the selected text in marks, or inserts a placeholder between them. */
  const mark = (before: string, after: string, standIn: string) => {
    const field = area.current
    if (field === null) return
    const { selectionEnd: end, selectionStart: start } = field
    const selected = start === end ? standIn : text.slice(start, end)
    onChange({ ...block, text: text.slice(0, start) + before + selected + after + text.slice(end) }, null)
    // The selection can only be set after the new text is rendered.
    requestAnimationFrame(() => {
      field.focus()
      field.setSelectionRange(start + before.length, start + before.length + selected.length)
    })
  }
  return (
    <div className={styles["list"]}>
      <div role="toolbar" aria-label={texts.marks} className={styles["marks"]}>
        <Button isSmall onClick={() => mark("**", "**", texts.words)}>
          <strong>{texts.strong}</strong>
        </Button>
        <Button isSmall onClick={() => mark("*", "*", texts.words)}>
          <em>{texts.emphasis}</em>
        </Button>
        <Button isSmall onClick={() => mark("[", "](https://)", texts.words)}>
          {texts.link}
        </Button>
        <Menu
          trigger={
            <Button isSmall iconAfter="down">
              {texts.insert}
            </Button>
          }
        >
          {personNames.map((name) => (
            <MenuItem key={name} onSelect={() => mark("", "", `{{ contact.${name} }}`)}>
              {segment.fields[name] ?? name}
            </MenuItem>
          ))}
        </Menu>
      </div>
      <Field label={texts.fields["text"]} hint={texts.textHint} error={errorOf("text")}>
        <TextArea
          ref={area}
          rows={5}
          value={text}
          onChange={({ target: { value } }) => onChange({ ...block, text: value }, "text")}
        />
      </Field>
    </div>
  )
}

/** An item of the catalogue, chosen by name with suggestions. */
const Item = ({ block, errorOf, onChange }: FormProps) => {
  const { blocks: texts } = useEditorTexts()
  const { can, id: accountId } = useAccount()
  const id = useId()
  const typed = textOf(block["itemId"])
  const q = useDebounced(typed.trim(), restMillis)
  const found = useExtra(
    "GET /accounts/:accountId/items",
    { params: { accountId }, query: q === "" ? { limit: 20 } : { limit: 20, q } },
    { enabled: can("catalog:read") }
  )
  const items = found?.items ?? []
  const chosen = items.find(({ externalId }) => externalId === typed)
  return (
    <Field label={texts.fields["itemId"]} hint={chosen?.name ?? texts.itemHint} error={errorOf("itemId")}>
      <Input
        list={id}
        value={typed}
        autoComplete="off"
        onChange={({ target: { value } }) => onChange({ ...block, itemId: value }, "itemId")}
      />
      <datalist id={id}>
        {items.map(({ externalId, name }) => (
          <option key={externalId} value={externalId}>
            {name}
          </option>
        ))}
      </datalist>
    </Field>
  )
}

const Pixels = ({
  block,
  errorOf,
  isOptional = false,
  name,
  onChange
}: FormProps & { readonly name: string; readonly isOptional?: boolean }) => {
  const { blocks: texts } = useEditorTexts()
  const value = block[name]
  return (
    <Field label={texts.fields[name] ?? name} isOptional={isOptional} error={errorOf(name)}>
      <Input
        type="number"
        min={1}
        step={1}
        value={typeof value === "number" ? value : ""}
        onChange={(event) =>
          onChange({ ...block, [name]: event.target.value === "" ? null : Number(event.target.value) }, name)
        }
      />
    </Field>
  )
}

const Align = ({ block, onChange }: FormProps) => {
  const { blocks: texts } = useEditorTexts()
  return (
    <Field label={texts.fields["align"]}>
      <Select
        value={textOf(block["align"]) || "Start"}
        options={optionsOf(texts.aligns)}
        onChange={(event) => onChange({ ...block, align: event.target.value }, null)}
      />
    </Field>
  )
}

const Upload = ({ block, onChange }: FormProps) => {
  const { blocks: texts } = useEditorTexts()
  return (
    <ImageUpload
      label={texts.upload}
      busyLabel={texts.uploading}
      onUploaded={(image) => {
        const width = image.width > maxWidth ? null : image.width
        onChange({ ...block, url: image.url, width: width === null || width < 16 ? null : width }, null)
      }}
    />
  )
}

interface Profile {
  readonly name: string
  readonly href: string
}

const Profiles = ({ block, errorOf, onChange }: FormProps) => {
  const { blocks: texts } = useEditorTexts()
  const links = Array.isArray(block["links"]) ? (block["links"] as ReadonlyArray<Profile>) : []
  const set = (next: ReadonlyArray<Profile>, run: string | null) => onChange({ ...block, links: next }, run)
  return (
    <>
      {links.map((link, at) => (
        // Profiles have no ids, and their order never changes.
        // oxlint-disable-next-line react/no-array-index-key
        <Fields key={at}>
          <Field label={texts.fields["name"]} error={errorOf(`links[${at}].name`)}>
            <Input
              value={link.name}
              onChange={({ target: { value } }) =>
                set(links.with(at, { ...link, name: value }), `name ${at}`)
              }
            />
          </Field>
          <Field label={texts.fields["href"]} error={errorOf(`links[${at}].href`)}>
            <Input
              value={link.href}
              onChange={({ target: { value } }) =>
                set(links.with(at, { ...link, href: value }), `href ${at}`)
              }
            />
          </Field>
          <Row>
            <Button isSmall onClick={() => set(links.toSpliced(at, 1), null)}>
              {texts.removeLink(link.name)}
            </Button>
          </Row>
        </Fields>
      ))}
      <Row>
        <Button isSmall icon="plus" onClick={() => set([...links, { name: "", href: "https://" }], null)}>
          {texts.addLink}
        </Button>
      </Row>
    </>
  )
}

/** The fields. */
export const BlockForm = (props: FormProps) => {
  const { block, onChange } = props
  const { blocks: texts } = useEditorTexts()
  switch (block.kind) {
    case "Heading":
      return (
        <Fields>
          <Lines {...props} />
          <Field label={texts.fields["level"]}>
            <Select
              value={String(block["level"] ?? 1)}
              options={optionsOf(texts.levels)}
              onChange={(event) => onChange({ ...block, level: Number(event.target.value) }, null)}
            />
          </Field>
          <Align {...props} />
        </Fields>
      )
    case "Text":
      return (
        <Fields>
          <Lines {...props} />
          <Align {...props} />
        </Fields>
      )
    case "Image":
      return (
        <Fields>
          <Upload {...props} />
          <Line {...props} name="url" />
          <Line {...props} name="alt" isOptional />
          <Line {...props} name="href" isOptional />
          <Pixels {...props} name="width" isOptional />
          <Align {...props} />
        </Fields>
      )
    case "Button":
      return (
        <Fields>
          <Line {...props} name="label" />
          <Line {...props} name="href" />
          <Align {...props} />
        </Fields>
      )
    case "Spacer":
      return (
        <Fields>
          <Pixels {...props} name="height" />
        </Fields>
      )
    case "Product":
      return (
        <Fields>
          <Item {...props} />
          <Line {...props} name="label" />
        </Fields>
      )
    case "Social":
      return (
        <Fields>
          <Profiles {...props} />
          <Align {...props} />
        </Fields>
      )
    case "Footer":
      return (
        <Fields>
          <Lines {...props} />
          <Line {...props} name="unsubscribe" isOptional />
          <Line {...props} name="preferences" isOptional />
          <Align {...props} />
        </Fields>
      )
    default:
      return null
  }
}
