/**
 * Starts the dashboard.
 *
 * @module
 */
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import "./tokens.css"
import "./base.css"
import { App } from "./app/App.tsx"
import { noticeNewVersion } from "./app/newVersion.ts"

noticeNewVersion()

const root = document.getElementById("root")
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>
  )
}
