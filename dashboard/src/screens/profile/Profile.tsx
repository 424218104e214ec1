/**
 * Profile.
 *
 * @module
 */
import { useTexts } from "../../app/reader.tsx"
import { Page } from "../../parts/page/Page.tsx"

/** The screen. */
export const Profile = () => {
  const { profile: texts } = useTexts()
  return <Page title={texts.title}>{null}</Page>
}
