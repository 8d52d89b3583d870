// The official clients of both protocols against `sandgate mcp`.
//
//	node client.cjs			with CLIENTS, SANDGATE in the environment
"use strict";

const path = require("path");
const assert = require("assert");
const from = require("module").createRequire(
	path.join(process.env.CLIENTS, "package.json"));

let failed = 0;

async function check(what, fn) {
	try {
		await fn();
		console.log("ok " + what);
	} catch (e) {
		failed++;
		console.log("not ok " + what);
		console.log("  " + String(e && e.stack || e).slice(0, 2000));
	}
}

function text(result) {
	return result.content.filter((b) => b.type === "text")
		.map((b) => b.text).join("\n");
}

const sleepy = "import time\nprint('begun', flush=True)\ntime.sleep(30)";

// What holds whatever the client: `call(args, options)` calls a tool.
async function shared(name, client, call) {
	await check(name + ": tools are listed in their order, with schemas",
		async () => {
			const { tools } = await client.listTools();
			assert.deepStrictEqual(tools.map((t) => t.name),
				["run_python", "check_python", "list_packages"]);
			for (const t of tools) {
				assert.ok(t.inputSchema && t.outputSchema &&
					t.description && t.title);
				assert.strictEqual(t.annotations.openWorldHint, false);
				assert.strictEqual(t.annotations.destructiveHint, false);
			}
			assert.deepStrictEqual(
				tools.map((t) => t.annotations.readOnlyHint),
				[false, true, true]);
		});
	await check(name + ": instructions say what persists", async () =>
		assert.match(client.getInstructions(), /Nothing persists/));
	const cases = {
		ok: ["print('hello')\n6 * 7", false],
		error: ["import sys\nsys.exit(3)", false],
		rejected: ["import os\nos.system('id')", true],
		timeout: ["while True: pass", true],
		memory_limit: ["x = bytearray(2 << 30)", true],
	};
	for (const [status, [code, isError]] of Object.entries(cases))
		await check(name + ": a result with status " + status +
			" fits its schema", async () => {
			// The client validates it, and throws if it does not.
			const r = await call({ name: "run_python",
				arguments: { code, timeout_s: 3 } });
			const got = r.structuredContent.status;
			if (status === "memory_limit")
				assert.ok([status, "error"].includes(got), got);
			else
				assert.strictEqual(got, status);
			if (got === status)
				assert.strictEqual(!!r.isError, isError);
		});
	await check(name + ": check_python and list_packages fit theirs",
		async () => {
			const c = await call({ name: "check_python",
				arguments: { code: "import socket" } });
			assert.ok(c.structuredContent.verdict.decision);
			const p = await call({ name: "list_packages",
				arguments: {} });
			assert.ok(p.structuredContent.packages.length > 0);
		});
	await check(name + ": a figure is an image", async () => {
		const r = await call({ name: "run_python", arguments: { code:
			"import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\n" +
			"plt.show()" } });
		const image = r.content.find((b) => b.type === "image");
		assert.strictEqual(image.mimeType, "image/png");
		assert.strictEqual(Buffer.from(image.data, "base64")
			.toString("latin1", 1, 4), "PNG");
	});
	await check(name + ": wrong arguments are a tool's error", async () => {
		const r = await call({ name: "run_python",
			arguments: { code: 7 } });
		assert.ok(r.isError);
		assert.match(text(r), /'code' must be a string/);
	});
	await check(name + ": an unknown tool is the protocol's", async () =>
		assert.rejects(call({ name: "nothing", arguments: {} }),
			/no tool 'nothing'|not found/i));
	await check(name + ": progress comes while it runs", async () => {
		const seen = [];
		await call({ name: "run_python", arguments: {
			code: "import time\ntime.sleep(2.4)" } },
		{ onprogress: (p) => seen.push(p) });
		assert.ok(seen.length >= 1, "none came");
		assert.match(seen[0].message, /running \d+ s of \d+ s/);
	});
	await check(name + ": an abort ends the run", async () => {
		const abort = new AbortController();
		setTimeout(() => abort.abort(), 600);
		await assert.rejects(call({ name: "run_python",
			arguments: { code: sleepy } }, { signal: abort.signal }));
		const r = await call({ name: "run_python",
			arguments: { code: "print('next')" } });
		assert.strictEqual(r.structuredContent.stdout, "next\n");
	});
	await check(name + ": ten calls at once each get their own",
		async () => {
			const all = await Promise.all([...Array(10).keys()].map((i) =>
				call({ name: "run_python",
					arguments: { code: `print(${i} ** 2)` } })));
			assert.deepStrictEqual(
				all.map((r) => r.structuredContent.stdout.trim()),
				[...Array(10).keys()].map((i) => String(i * i)));
		});
	await check(name + ": resources are listed and read", async () => {
		const { resources } = await client.listResources();
		assert.deepStrictEqual(resources.map((r) => r.uri),
			["sandgate://policy/default", "sandgate://packages"]);
		const { resourceTemplates } =
			await client.listResourceTemplates();
		assert.strictEqual(resourceTemplates.length, 1);
		for (const { uri } of resources) {
			const { contents } = await client.readResource({ uri });
			assert.ok(contents[0].text.length > 100);
		}
		await assert.rejects(
			client.readResource({ uri: "sandgate://policy/none" }));
	});
}

const how = { command: process.env.SANDGATE, args: ["mcp"],
	env: process.env, stderr: "ignore" };
const me = { name: "test", version: "1" };

async function legacy() {
	const { Client } = from("@modelcontextprotocol/sdk/client/index.js");
	const { StdioClientTransport } =
		from("@modelcontextprotocol/sdk/client/stdio.js");
	const client = new Client(me);
	await client.connect(new StdioClientTransport(how));
	await check("client 1: it learns who we are", async () =>
		assert.strictEqual(client.getServerVersion().name, "sandgate"));
	await check("client 1: ping", () => client.ping());
	await shared("client 1", client, (args, options) =>
		client.callTool(args, undefined, options));
	const begun = Date.now();
	await client.close();
	await check("client 1: closing does not need a signal", async () =>
		assert.ok(Date.now() - begun < 2000));
}

async function modern(mode) {
	const { Client } = from("@modelcontextprotocol/client");
	const { StdioClientTransport } =
		from("@modelcontextprotocol/client/stdio");
	const client = new Client(me, { versionNegotiation: { mode } });
	await client.connect(new StdioClientTransport(how));
	await check("client 2: it speaks the newer protocol", async () =>
		assert.strictEqual(client.getNegotiatedProtocolVersion(),
			"2026-07-28"));
	await shared("client 2", client, (args, options) =>
		client.callTool(args, options));
	await client.close();
}

(async () => {
	await legacy();
	await modern("auto");
	process.exit(failed ? 1 : 0);
})().catch((e) => {
	console.log("not ok the clients could be used");
	console.log("  " + String(e && e.stack || e).slice(0, 2000));
	process.exit(1);
});
