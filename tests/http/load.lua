-- Scripts of several kinds, one after the other; counts what comes back.
--
--	wrk -s load.lua URL/v1/run -- [FILE]
--
-- FILE takes the counts, a status and a number a line.

local bodies = {
	'{"code":"print(sum(range(1000)))"}',
	'{"code":"import json\\njson.dumps({\\"a\\": [1, 2]})"}',
	'{"code":"1 / 0"}',
	'{"code":"import os\\nos.system(\\"id\\")"}',
	'{"code":"x = 6\\nx * 7","stdin":"abc","args":["a"]}',
	'{"code":"def f(:"}',
}

local threads = {}

function setup(thread)
	thread:set("first", #threads)
	table.insert(threads, thread)
end

function init(args)
	at = first
	file = args[1]
	wrk.method = "POST"
	wrk.headers["Content-Type"] = "application/json"
	for status = 100, 599 do
		_G["n" .. status] = 0
	end
	odd = 0
	refused = false
end

function request()
	at = at + 1
	return wrk.format(nil, nil, nil, bodies[at % #bodies + 1])
end

-- Whoever is told to come again waits a little, or nobody gets anything done.
function delay()
	return refused and 20 or 0
end

function response(status, headers, body)
	local name = "n" .. status
	_G[name] = _G[name] + 1
	refused = status == 429
	if status == 200 then
		if not body:find('"schema":"sandgate.result/1"', 1, true) or
		    body:sub(-1) ~= "}" then
			odd = odd + 1
		end
	elseif status == 429 and not headers["Retry-After"] then
		odd = odd + 1
	end
end

function done(summary, latency, requests)
	local out = io.open(threads[1]:get("file"), "w")
	for status = 100, 599 do
		local n = 0
		for _, thread in ipairs(threads) do
			n = n + thread:get("n" .. status)
		end
		if n > 0 then
			out:write(status, " ", n, "\n")
		end
	end
	local n = 0
	for _, thread in ipairs(threads) do
		n = n + thread:get("odd")
	end
	out:write("odd ", n, "\n")
	for _, kind in ipairs({ "connect", "read", "write", "timeout" }) do
		out:write(kind, " ", summary.errors[kind], "\n")
	end
	out:write("requests ", summary.requests, "\n")
	out:close()
end
