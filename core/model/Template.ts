/**
 * Templates of emails, and their versions.
 *
 * @module
 */
import type { Edited, Editor } from "./Edited.ts"

/** What a template is written in. */
export const templateFormats = ["Html", "Mjml", "Blocks"] as const

/** What a template is written in: `html` itself, or a `source` from which the HTML is compiled. */
export type TemplateFormat = (typeof templateFormats)[number]

/** What emails are rendered from: Liquid (docs/contributing/decisions.md 4) in subject, preheader, html and text. */
export interface TemplateContent {
  readonly name: string
  readonly subject: string
  readonly format: TemplateFormat
  /** The MJML of the format Mjml, the composer's document as JSON of Blocks; null for Html. */
  readonly source: string | null
  /** What programs show beside the subject; null where they choose it themselves. */
  readonly preheader: string | null
  /** As saved: HTML, or MJML when its root element is `<mjml>`; null for the other formats. */
  readonly html: string | null
  /** What is rendered: the HTML compiled from MJML or from blocks, else `html`. */
  readonly compiledHtml: string | null
  readonly text: string | null
}

/** The parts of a template that are rendered. */
export type RenderedContent = Pick<TemplateContent, "compiledHtml" | "preheader" | "subject" | "text">

/** The sources that are rendered for an email, without those that are absent. */
export const renderedSources = ({
  compiledHtml,
  preheader,
  subject,
  text
}: RenderedContent): ReadonlyArray<string> =>
  [subject, preheader, compiledHtml, text].filter((source) => source !== null)

/** A template. Times are epoch milliseconds. */
export interface Template extends TemplateContent, Edited {
  readonly id: string
  readonly accountId: string
  /** From 1; each save makes the next. */
  readonly version: number
  readonly createdAt: number
}

/** A template as one save left it. */
export interface TemplateVersion extends TemplateContent {
  readonly accountId: string
  readonly templateId: string
  readonly version: number
  /** Epoch milliseconds. */
  readonly savedAt: number
  /** Who saved it; null where that was not stored. */
  readonly savedBy: Editor | null
}

/** A version without its content. */
export type TemplateVersionSummary = Pick<
  TemplateVersion,
  "name" | "savedAt" | "savedBy" | "subject" | "version"
>

/** The most versions of a template that are kept, the newest. */
export const maxTemplateVersions = 50

/** The version that a save of a template made. */
export const versionOf = (template: Template): TemplateVersion => {
  const { createdAt: _created, id: templateId, updatedAt, updatedBy, ...content } = template
  return { ...content, templateId, savedAt: updatedAt, savedBy: updatedBy }
}
