/**
 * The menu of the user: profile, theme, language, signing out.
 *
 * @module
 */
import { optionsOf } from "../../lib/options.ts"
import { useNavigate } from "@tanstack/react-router"
import type { ReactElement } from "react"
import { languageOf, languages } from "../../texts/texts.ts"
import { Menu, MenuChoice, MenuItem, MenuLine } from "../../parts/overlay/Menu.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { setLanguage, setTheme, type Theme, themes, usePreferences } from "../preferences.ts"
import { useTexts } from "../reader.tsx"
import { useSession } from "../session.ts"
import { signOut } from "../signOut.ts"

const themeIcons = { system: "settings", light: "sun", dark: "moon" } as const

/** The menu. It opens as soon as it is loaded, because a click on its button loads it. */
export const UserMenu = ({ trigger }: { readonly trigger: ReactElement }) => {
  const texts = useTexts()
  const { language, theme } = usePreferences()
  const { user } = useSession()
  const navigate = useNavigate()
  return (
    <Menu trigger={trigger} side="top" startsOpen>
      <MenuItem
        icon="user"
        detail={user.name === null ? undefined : user.email}
        onSelect={() => void navigate({ to: "/profile" })}
      >
        {texts.nav.profile}
      </MenuItem>
      <MenuLine />
      <MenuChoice
        label={texts.nav.theme}
        value={theme}
        onChange={(value) => setTheme(value as Theme)}
        options={themes.map((one) => ({ value: one, label: texts.nav.themes[one], icon: themeIcons[one] }))}
      />
      <MenuLine />
      <MenuChoice
        label={texts.nav.language}
        value={language}
        onChange={(value) => setLanguage(languageOf(value) ?? "en")}
        options={optionsOf(languages)}
      />
      <MenuLine />
      <MenuItem
        icon="signout"
        onSelect={() => void signOut().catch(() => toast(texts.errors.unreachable, { tone: "bad" }))}
      >
        {texts.nav.signOut}
      </MenuItem>
    </Menu>
  )
}
