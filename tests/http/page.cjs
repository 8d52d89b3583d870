/*
 * The page at "/", as a browser without a screen runs it against the server.
 *
 *	page.cjs URL [TOKEN]
 *
 * The document is jsdom's, and so are its events; the requests are real.
 */
"use strict";

const path = require("path");
const root = path.join(__dirname, "..", "..");
const { JSDOM, VirtualConsole } = require(path.join(
	root, "third_party", "openapi", "node_modules", "jsdom"));

const PATIENCE = 60000;
const [url, token] = process.argv.slice(2);
const faults = [];
let document, window, blobs;

function must(what, good, got) {
	if (!good)
		faults.push(what + (got === undefined ? "" : ", got: " +
			JSON.stringify(got).slice(0, 600)));
}
const has = (what, text, part) => must(what, text.includes(part), text);
const el = id => document.getElementById(id);
const status = () => el("status").textContent;
const out = () => el("out").textContent;

/* What browsers have and jsdom has not. */
function complete(w) {
	w.fetch = (to, how) => fetch(new URL(to, url), { ...how,
		headers: { ...how.headers, Origin: new URL(url).origin } });
	w.URL.createObjectURL = blob => "blob:" + (blobs.push(blob) - 1);
	w.URL.revokeObjectURL = () => {};
}

async function open() {
	const virtualConsole = new VirtualConsole();

	virtualConsole.on("jsdomError", error => faults.push(String(error)));
	virtualConsole.on("error", text => faults.push(String(text)));
	blobs = [];
	({ window } = new JSDOM(await (await fetch(url)).text(), { url,
		runScripts: "dangerously", beforeParse: complete,
		virtualConsole }));
	({ document } = window);
}

async function until(what, good) {
	for (let spent = 0; !good(); spent += 5) {
		if (spent > PATIENCE)
			throw new Error("never: " + what);
		await new Promise(go => setTimeout(go, 5));
	}
}
const idle = () => el("stop").disabled;

async function press(button, code, stdin = "") {
	el("code").value = code;
	el("stdin").value = stdin;
	el(button).click();
	must("it says that it is under way", status().startsWith("under way"),
		status());
	await until("an answer to " + code, idle);
}

function key(name, more) {
	el("code").dispatchEvent(new window.KeyboardEvent("keydown", {
		key: name, bubbles: true, cancelable: true, ...more }));
}

async function runs() {
	await press("run", "print(input())\n6 * 7", "hello\n");
	must("it ran", /^ok after \d+ ms$/.test(status()), status());
	must("that is good", el("status").className === "good");
	has("what it printed", out(), "Outputhello\n");
	has("the value", out(), "Result42");
	await press("run", "1/0");
	has("an exception", status(), "error, exit status 1");
	must("that is not good", el("status").className === "bad");
	has("the traceback", out(), "ZeroDivisionError");
	must("what was before is gone", !out().includes("hello"), out());
	await press("run", "print('<img src=x>')");
	must("output is no markup", !el("out").querySelector("img"));
	has("output is text", out(), "<img src=x>");
	await press("run", "for i in range(300000): print('line', i)");
	has("what is cut says so", out(), "the program wrote 3488890 bytes");
}

async function judges() {
	await press("run", "import os\nos.system('id')");
	has("rejected", status(),
		"rejected by the policy default; nothing was executed");
	has("the rule and the line", out(), "line 2: ");
	has("the rule", out(), "SG104");
	await press("check", "import os\nos.system('id')");
	has("rejected when checked", status(), "rejected");
	await press("check", "print(1)");
	must("passed when checked",
		status() === "pass; nothing was executed", status());
	must("nothing else is said", out() === "", out());
}

async function shows() {
	await press("run", "import matplotlib.pyplot as plt\nplt.plot([1, 2])");
	const image = el("out").querySelector("img");
	must("an image", image && image.alt && image.width > 100 &&
		image.src.startsWith("data:image/png;base64,iVBOR"));
	await press("run", "open('a.csv', 'wb').write(b'\\xff\\x00a')");
	const link = el("out").querySelector("a");
	must("a file", link && link.download === "a.csv" &&
		link.href === "blob:0" && blobs[0].size === 3);
	has("its size", out(), "a.csv, 3 bytes");
}

async function keys() {
	el("code").value = "'by key'";
	key("Enter");
	must("Enter alone is a line end", idle());
	key("Enter", { ctrlKey: true });
	must("Ctrl+Enter runs", !idle());
	await until("an answer", idle);
	has("it ran by key", out(), "by key");
	el("code").value = "while True: pass";
	el("run").click();
	el("run").click();
	must("twice is once", !idle());
	el("stop").focus();
	el("stop").click();
	await until("the end", idle);
	must("stopped", status() === "stopped", status());
	must("the focus is kept", document.activeElement === el("run"));
}

async function tokens() {
	el("token").value = "";
	await press("run", "1");
	has("no token", status(), "Unauthorized: ");
	must("the focus is where it is wanted",
		document.activeElement === el("token"));
	el("token").value = "\u6f22";
	await press("run", "1");
	has("none that can be sent", status(), "no answer: ");
	el("token").value = " " + token + " ";
	await press("run", "1");
	has("a token", status(), "ok after ");
	/* One runs, one waits, and there is no room for more. */
	const stop = new AbortController();
	const long = () => fetch(new URL("v1/run", url), { method: "POST",
		headers: { "Content-Type": "application/json",
			"X-Api-Key": token },
		body: JSON.stringify({ code: "while True: pass" }),
		signal: stop.signal }).catch(() => {});
	const others = [long(), long(), long(), long()];
	const metrics = async () => await (await fetch(
		new URL("metrics", url), { headers: { "X-Api-Key": token } }
	)).text();
	while (!/requests_total\{path="\/v1\/run",code="429"\} [12]/.test(
		await metrics()))
		await new Promise(go => setTimeout(go, 20));
	await press("run", "1");
	must("too many", /^Too Many Requests: .*; again in \d+ s$/.test(
		status()), status());
	stop.abort();
	await Promise.all(others);
}

async function main() {
	await open();
	if (token) {
		await tokens();
	} else {
		await runs();
		await judges();
		await shows();
		await keys();
	}
	window.close();
	for (const fault of faults)
		console.log(fault);
	process.exit(faults.length ? 1 : 0);
}

main().catch(error => {
	console.log(faults.join("\n"));
	console.log(error);
	process.exit(1);
});
