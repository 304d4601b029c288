# Logs in, and prints what the requests of a launch must hold: one JSON object of strings.
import json
import sys
from urllib.request import Request, urlopen

user = {"user": "ada", "password": "analytical"}
login = Request(f"http://127.0.0.1:{sys.argv[1]}/login", data=json.dumps(user).encode())
with urlopen(login) as response:
    print(json.dumps({"user": "ada", "token": json.load(response)["token"]}))
