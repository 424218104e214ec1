/**
 * Starts the dashboard.
 *
 * @module
 */
import { createRoot } from "react-dom/client"

createRoot(document.getElementById("root")!).render(<p>svc</p>)
