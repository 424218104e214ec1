/**
 * Home.
 *
 * @module
 */
import { useTexts } from "../../app/reader.tsx"
import { Page } from "../../parts/page/Page.tsx"

/** The screen. */
export const Home = () => {
  const { homeScreen: texts } = useTexts()
  return <Page title={texts.title}>{null}</Page>
}
