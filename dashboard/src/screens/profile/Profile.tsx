/**
 * The user's own profile: name, language and time zone, ways to sign in, sessions.
 *
 * @module
 */
import { getRouteApi } from "@tanstack/react-router"
import { useTexts } from "../../app/reader.tsx"
import { useSession } from "../../app/session.ts"
import { Banner } from "../../parts/page/Banner.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { Tabs } from "../../parts/page/Tabs.tsx"
import { Person } from "./Person.tsx"
import { Security } from "./Security.tsx"
import { PersonalTokens } from "./PersonalTokens.tsx"
import { Sessions } from "./Sessions.tsx"

const route = getRouteApi("/shell/profile")

const tabs = ["person", "security", "sessions", "tokens"] as const

/** The screen. */
export const Profile = () => {
  const { profile: texts } = useTexts()
  const { needs } = useSession()
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  const shown = tabs.find((one) => one === tab) ?? "person"
  return (
    <Page isNarrow title={texts.title}>
      {needs === "Factor" && <Banner tone="warning">{texts.codesRequired}</Banner>}
      <Tabs
        label={texts.title}
        value={shown}
        onChange={(value) => void navigate({ search: { tab: value }, replace: true })}
        tabs={tabs.map((value) => ({ value, label: texts.tabs[value] }))}
      />
      {shown === "person" && <Person />}
      {shown === "security" && <Security />}
      {shown === "sessions" && <Sessions />}
      {shown === "tokens" && <PersonalTokens />}
    </Page>
  )
}
