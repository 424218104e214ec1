/**
 * The texts of the editors. Only the screens of the editors load them.
 *
 * @module
 */
import { textsIn } from "../../app/textsIn.ts"
import { editorsDe } from "./editorsDe.ts"
import { editorsEn, type EditorTexts } from "./editorsEn.ts"

/** The texts in the reader's language. */
export const useEditorTexts = textsIn<EditorTexts>({ en: editorsEn, de: editorsDe })
