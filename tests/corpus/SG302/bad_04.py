import flask
flask.Flask("x").run()  # expect: SG302
