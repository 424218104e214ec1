/**
 * The texts of the editors, which only their screens load.
 *
 * @module
 */
import { useReader } from "../../app/reader.tsx"
import type { Language } from "../texts.ts"
import { editorsDe } from "./editorsDe.ts"
import { editorsEn, type EditorTexts } from "./editorsEn.ts"

const texts: Readonly<Record<Language, EditorTexts>> = { en: editorsEn, de: editorsDe }

/** The texts in the reader's language. */
export const useEditorTexts = (): EditorTexts => texts[useReader().language]
